// One block moves a chunk after the other, from the last element to the first: no memory but the buffer.
//
// An element's new place lies behind its old one, so a chunk lands on nothing that has yet to move, if all of it is
// read before any of it is written. Costs two barriers for each chunk, and the other multiprocessors have nothing to
// do.
#include "harness/op/variant.h"
#include "kernels/device/vector_load.cuh"

namespace {

using assay::device::Pack;

// cache: head h moves from h·row to h·stride.
template <class Unit>
__global__ void kv_cache_repack(Unit* cache, int64_t heads, int64_t row, int64_t stride) {
  for (int64_t h = heads - 1; h > 0; --h)
    for (int64_t end = row; end > 0; end -= blockDim.x) {
      const int64_t i = end - 1 - threadIdx.x;
      Unit held;
      if (i >= 0) held = cache[h * row + i];
      __syncthreads();
      if (i >= 0) cache[h * stride + i] = held;
      __syncthreads();
    }
}

void run(assay::Call& call) {
  const int64_t heads = call.dim("HK"), lanes = call.dim("ad");
  const int64_t row = call.dim("T") * lanes, stride = call.dim("capacity") * lanes;
  if (row == 0 || row == stride) return;
  const assay::simt::Launch shape{.grid = dim3(1), .block = dim3(call.block())};
  assay::by_dtype(call, [&]<class T>() {
    constexpr int64_t kWidth = Pack<T>::kWidth;
    auto* const cache = call.out<T>("cache");
    if (lanes % kWidth == 0 &&
        assay::device::is_pack_aligned(cache))  // then every slot starts at a multiple of 16 bytes
      assay::launch(kv_cache_repack<Pack<T>>, shape, reinterpret_cast<Pack<T>*>(cache), heads, row / kWidth,
                    stride / kWidth);
    else
      assay::launch(kv_cache_repack<T>, shape, cache, heads, row, stride);
  });
}

const assay::RegisterVariant kVariant({.op = "kv_cache_repack",
                                       .name = "one_block_from_the_end",
                                       .summary = "one block moves chunks from the end; no memory but the buffer",
                                       .blocks = {32, 33, 64, 128, 256, 512, 1000, 1024},
                                       .run = run});

}  // namespace
