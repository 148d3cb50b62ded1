// All heads but the first go to the workspace and from there to their places, in packs of 16 bytes by the whole GPU.
//
// Against one_block_from_the_end: no order, so every multiprocessor works. The price is scratch memory as large as the
// tokens, and twice the traffic.
#include <algorithm>

#include "harness/op/variant.h"
#include "kernels/device/vector_load.cuh"

namespace {

using assay::device::Pack;

constexpr int64_t kBlocksMax = 132 * 16;  // of an H200: 16 blocks on each multiprocessor

// Row r of `rows` rows of `row` units goes from r·from_stride to r·to_stride.
template <class Unit>
__global__ void copy_rows(const Unit* from, Unit* to, int64_t rows, int64_t row, int64_t from_stride,
                          int64_t to_stride) {
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < rows * row; i += step)
    to[i / row * to_stride + i % row] = from[i / row * from_stride + i % row];
}

int64_t moved_elements(const assay::Case& c) { return (c.dim("HK") - 1) * c.dim("T") * c.dim("ad"); }

int64_t workspace_bytes(const assay::Case& c) {
  return moved_elements(c) * static_cast<int64_t>(assay::size_of(c.dtype));
}

template <class Unit>
void move(const assay::Call& call, Unit* cache, int64_t row, int64_t stride) {
  const int64_t rows = call.dim("HK") - 1, block = call.block();
  const int64_t blocks = std::min((rows * row + block - 1) / block, kBlocksMax);
  const assay::simt::Launch shape{.grid = dim3(call.grid(blocks)), .block = dim3(call.block())};
  Unit* const scratch = call.workspace<Unit>();  // (HK - 1, row)
  assay::launch(copy_rows<Unit>, shape, static_cast<const Unit*>(cache + row), scratch, rows, row, row, row);
  assay::launch(copy_rows<Unit>, shape, static_cast<const Unit*>(scratch), cache + stride, rows, row, row, stride);
}

void run(assay::Call& call) {
  const int64_t lanes = call.dim("ad"), row = call.dim("T") * lanes, stride = call.dim("capacity") * lanes;
  if (moved_elements(call.c()) == 0 || row == stride) return;
  assay::by_dtype(call, [&]<class T>() {
    constexpr int64_t kWidth = Pack<T>::kWidth;
    auto* const cache = call.out<T>("cache");
    if (lanes % kWidth == 0 && assay::device::is_pack_aligned(cache))
      move(call, reinterpret_cast<Pack<T>*>(cache), row / kWidth, stride / kWidth);
    else
      move(call, cache, row, stride);
  });
}

const assay::RegisterVariant kVariant({.op = "kv_cache_repack",
                                       .name = "through_workspace",
                                       .summary = "all heads at once by way of the workspace",
                                       .blocks = {32, 64, 128, 256, 512, 1024},
                                       .any_grid = true,
                                       .workspace_bytes = workspace_bytes,
                                       .run = run});

}  // namespace
