// A product with quantised weights on tensor cores: a tile of weights is decoded into shared memory and multiplied
// there.
//
// While one step of 32 terms is multiplied, cp.async brings the activations of the next and all threads decode its
// weights, half a group each. Both factors are rounded to the nearest tf32, of 11 significant bits: f16 would overflow
// where activations exceed 65504. Sums stay f32. Weights has kElements, and element(all, block, i): element i of a
// block in a tensor of them.
#pragma once

#include "kernels/device/copy_pipeline.cuh"
#include "kernels/device/gemm.cuh"
#include "kernels/device/mma.cuh"
#include "kernels/device/quantised.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace assay::device {

constexpr int kFactorTile = 64;
constexpr int kFactorDepth = 32;  // every block has a multiple of so many elements
constexpr int kFactorThreads = 128;

// [i][k] of a factor. Rows are that much longer than their elements that the 8 by 4 elements of a fragment's register
// lie in 32 banks.
struct alignas(16) FactorTile {
  float at[kFactorTile][kFactorDepth + 4];
};

// Begins to fill the tile with a(first …, k … k + 31), and zeros beyond a's rows.
__device__ inline void begin_activations(FactorTile& tile, const float* a, int64_t first, int64_t k,
                                         const GemmArgs& args) {
  constexpr int kChunk = 4;  // elements of a copy
  for (int n = static_cast<int>(threadIdx.x); n < kFactorTile * kFactorDepth / kChunk; n += kFactorThreads) {
    const int row = n / (kFactorDepth / kChunk), col = n % (kFactorDepth / kChunk) * kChunk;
    const bool exists = first + row < args.rows;
    cp_async<16>(&tile.at[row][col], exists ? a + args.a.at(first + row, k + col) : a, exists ? 16 : 0);
  }
}

// Fills the tile with the weights of columns first …, k … k + 31, and zeros beyond b's rows: a thread decodes half a
// row.
template <class Weights>
__device__ void decode_weights(FactorTile& tile, const uint8_t* b, int64_t first, int64_t k, const GemmArgs& args) {
  constexpr int kOwn = kFactorTile * kFactorDepth / kFactorThreads, kThreadsOfRow = kFactorDepth / kOwn;
  const int row = static_cast<int>(threadIdx.x) / kThreadsOfRow;
  const int col = static_cast<int>(threadIdx.x) % kThreadsOfRow * kOwn;
  const int64_t block = (first + row) * (args.depth / Weights::kElements) + k / Weights::kElements;
  const int element = static_cast<int>(k % Weights::kElements) + col;
  const bool exists = first + row < args.cols;
#pragma unroll
  for (int i = 0; i < kOwn; ++i)
    tile.at[row][col + i] = exists ? __uint_as_float(to_tf32(Weights::element(b, block, element + i))) : 0.0f;
}

// a: (rows, depth)  b: (cols, depth), in blocks  c: (rows, cols)
template <class Weights>
__global__ void __launch_bounds__(kFactorThreads)
    multiply_decoded(const float* a, const uint8_t* b, float* c, GemmArgs args) {
  constexpr int kStages = 2, kPart = 32;  // rows and columns of a warp
  __shared__ FactorTile a_tiles[kStages], b_tiles[kStages];
  const int64_t tiles = (args.cols + kFactorTile - 1) / kFactorTile;
  const int64_t first_row = blockIdx.x / tiles * kFactorTile, first_col = blockIdx.x % tiles * kFactorTile;
  const int warp = static_cast<int>(threadIdx.x / kWarp), lane = static_cast<int>(threadIdx.x % kWarp);
  const int my_row = warp / 2 * kPart, my_col = warp % 2 * kPart;

  const auto begin = [&](int64_t step, int stage) {
    begin_activations(a_tiles[stage], a, first_row, step * kFactorDepth, args);
    decode_weights<Weights>(b_tiles[stage], b, first_col, step * kFactorDepth, args);
  };
  float sums[kPart / 16][kPart / 8][4] = {};
  pipelined<kStages>(args.depth / kFactorDepth, begin, [&](int stage) {
#pragma unroll
    for (int k = 0; k < kFactorDepth; k += 8) {
      uint32_t left[kPart / 16][4], right[kPart / 8][2];
      for (int i = 0; i < kPart / 16; ++i)
        for (int e = 0; e < 4; ++e) {
          const MatrixPlace place = place_in_a_tf32(lane, e);
          left[i][e] = to_tf32(a_tiles[stage].at[my_row + i * 16 + place.row][k + place.col]);
        }
      for (int j = 0; j < kPart / 8; ++j)
        for (int e = 0; e < 2; ++e) {
          const MatrixPlace place = place_in_b_tf32(lane, e);
          right[j][e] = __float_as_uint(b_tiles[stage].at[my_col + j * 8 + place.col][k + place.row]);
        }
      for (int i = 0; i < kPart / 16; ++i)
        for (int j = 0; j < kPart / 8; ++j) mma_m16n8k8_tf32(sums[i][j], left[i], right[j]);
    }
  });

  for_each_in_d(lane, sums, [&](int row, int col, float sum) {
    args.store(c, first_row + my_row + row, first_col + my_col + col, sum);
  });
}

}  // namespace assay::device
