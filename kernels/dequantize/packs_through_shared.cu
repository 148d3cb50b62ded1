// Eight blocks at a time through shared memory, in and out by 16 bytes.
//
// Against elementwise: blocks begin at even addresses only, but eight of them begin at multiples of 16 bytes in every
// format, so that they are read by the widest loads there are and taken apart in shared memory. Costs a barrier and up
// to 2.3 KB of it; a tensor of blocks that itself begins elsewhere is read byte by byte.
#include <algorithm>

#include "harness/op/variant.h"
#include "kernels/device/quantised.cuh"
#include "kernels/device/vector_load.cuh"

namespace {

using namespace assay::device;

constexpr int kTile = 8;  // blocks

template <class Format, class T>
__global__ void dequantize(const uint8_t* q, T* y, int64_t blocks) {  // q: (blocks, bytes)  y: (blocks, elements)
  constexpr int kBytes = kTile * Format::kBytes, kElements = kTile * Format::kElements;
  static_assert(kBytes % 16 == 0);
  __shared__ Pack<uint8_t> tile[kBytes / 16];
  const bool q_aligned = is_pack_aligned(q), y_aligned = is_pack_aligned(y);
  const int64_t bytes = byte_of<Format>(blocks), count = blocks * Format::kElements;

  for (int64_t first = int64_t{blockIdx.x} * kTile; first < blocks; first += int64_t{gridDim.x} * kTile) {
    for (int p = static_cast<int>(threadIdx.x); p < kBytes / 16; p += static_cast<int>(blockDim.x))
      tile[p] = load_pack(q, byte_of<Format>(first) + 16 * p, bytes, q_aligned, 0);
    __syncthreads();
    const auto* in = reinterpret_cast<const uint8_t*>(tile);
    for (int i = static_cast<int>(threadIdx.x) * Pack<T>::kWidth; i < kElements;
         i += static_cast<int>(blockDim.x) * Pack<T>::kWidth) {
      const int64_t at = first * Format::kElements + i;
      if (at >= count) break;
      Pack<T> pack;
      for (int lane = 0; lane < Pack<T>::kWidth; ++lane)
        pack.values[lane] = static_cast<T>(
            Format::element(in + (i + lane) / Format::kElements * Format::kBytes, (i + lane) % Format::kElements));
      store_pack(y, at, count, y_aligned, pack);
    }
    __syncthreads();
  }
}

void run(assay::Call& call) {
  const int64_t count = call.dim("rows") * call.dim("K");
  if (count == 0) return;
  constexpr int64_t kBlocksMax = 65535;  // further tiles by the loop
  by_format(call.text("format"), [&]<class Format>() {
    const int64_t blocks = count / Format::kElements, tiles = std::min((blocks - 1) / kTile + 1, kBlocksMax);
    assay::by_dtype(call, [&]<class T>() {
      assay::launch(dequantize<Format, T>, {.grid = dim3(call.grid(tiles)), .block = dim3(call.block())},
                    call.in<uint8_t>("q"), call.out<T>("y"), blocks);
    });
  });
}

const assay::RegisterVariant kVariant({.op = "dequantize",
                                       .name = "packs_through_shared",
                                       .summary = "eight blocks through shared memory, in and out by 16 bytes",
                                       .blocks = {32, 33, 64, 96, 128, 256, 512},
                                       .any_grid = true,
                                       .element_at = blocks_element_at,
                                       .run = run});

}  // namespace
