// A product by tiles of 16 by 16 in shared memory, one thread for each element: the plain way.
#pragma once

#include "kernels/device/gemm.cuh"

namespace assay::device {

constexpr int kSquare = 16;

struct SquareTiles {
  float a[kSquare][kSquare], b[kSquare][kSquare];  // [row][k], [k][col]
};

// The place of the thread's element of C, in a grid that counts the tiles row by row. Blocks are (16, 16).
struct SquarePlace {
  int64_t row, col;

  __device__ SquarePlace(const GemmArgs& args, int64_t block) {
    const int64_t tiles = (args.cols + kSquare - 1) / kSquare;
    row = block / tiles * kSquare + threadIdx.y;
    col = block % tiles * kSquare + threadIdx.x;
  }
};

// sum over k of A(row, k) B(k, col), 0 beyond C. The whole block calls it; tiles: shared memory.
template <class T>
__device__ float product_by_squares(const T* a, const T* b, const GemmArgs& args, const SquarePlace& place,
                                    SquareTiles& tiles) {
  const auto [row, col] = place;
  float sum = 0;
  for (int64_t first = 0; first < args.depth; first += kSquare) {
    const int64_t a_k = first + threadIdx.x, b_k = first + threadIdx.y;
    const bool in_a = row < args.rows && a_k < args.depth, in_b = col < args.cols && b_k < args.depth;
    tiles.a[threadIdx.y][threadIdx.x] = in_a ? static_cast<float>(a[args.a.at(row, a_k)]) : 0;
    tiles.b[threadIdx.y][threadIdx.x] = in_b ? static_cast<float>(b[args.b.at(col, b_k)]) : 0;
    __syncthreads();
    for (int k = 0; k < kSquare; ++k) sum += tiles.a[threadIdx.y][k] * tiles.b[k][threadIdx.x];
    __syncthreads();
  }
  return sum;
}

}  // namespace assay::device
