// Rows of 16-bit elements in shared memory as tensor cores want them: filled by cp.async, read by ldmatrix.
//
// Both move chunks of 16 bytes. ldmatrix reads the same columns of eight rows at a time, and those must lie in
// different banks: 8 chunks are all the banks, and rows of kChunks chunks begin at 8 / gcd(kChunks, 8) different places
// of them. So each row lies with its chunks permuted, by an exclusive or with how often that many rows have gone by.
// Unlike padding this costs no memory.
#pragma once

#include <cstdint>
#include <numeric>

#include "kernels/device/cp_async.cuh"
#include "kernels/device/ldmatrix.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace assay::device {

// T: 16 bits. kRows: a multiple of 8. kCols: a multiple of 16.
template <class T, int kRows, int kCols>
struct SwizzledTile {
  static_assert(sizeof(T) == 2 && kRows % 8 == 0 && kCols % 16 == 0);
  static constexpr int kWidth = 8;  // elements of a chunk
  static constexpr int kChunks = kCols / kWidth;
  static constexpr int kPermutations = std::gcd(kChunks, 8);

  alignas(16) T values[kRows * kCols];

  // The place of 8 elements of a row. col: a multiple of 8
  __device__ T* chunk(int row, int col) {
    return &values[(row * kChunks + (col / kWidth ^ row / (8 / kPermutations) % kPermutations)) * kWidth];
  }

  // Begins to fill the tile with `dim` elements each of the rows first, first + 1, … of `rows`, and with zeros beyond.
  // All `threads` threads of the block call it. x: row 0, aligned to 16 bytes as every row. dim: a multiple of 8.
  __device__ void begin_load(const T* x, int64_t row_stride, int64_t first, int64_t rows, int64_t dim, int threads) {
    for (int n = static_cast<int>(threadIdx.x); n < kRows * kChunks; n += threads) {
      const int row = n / kChunks, col = n % kChunks * kWidth;
      const bool exists = first + row < rows && col < dim;
      cp_async<16>(chunk(row, col), exists ? x + (first + row) * row_stride + col : x, exists ? 16 : 0);
    }
  }

  // The fragment A[m][k] = tile[row + m][col + k].
  __device__ void read_a(int row, int col, uint32_t a[4]) {
    const int lane = static_cast<int>(threadIdx.x % kWarp);
    ldmatrix_x4(a, chunk(row + lane % 16, col + lane / 16 * 8));
  }

  // The fragment A[m][k] = tile[row + k][col + m].
  __device__ void read_a_transposed(int row, int col, uint32_t a[4]) {
    const int lane = static_cast<int>(threadIdx.x % kWarp);
    ldmatrix_x4_trans(a, chunk(row + lane / 16 * 8 + lane % 8, col + lane / 8 % 2 * 8));
  }

  // Two fragments B[k][n] = tile[row + n][col + k]: b[0] and b[1] with n from 0, b[2] and b[3] with n from 8.
  __device__ void read_b_transposed(int row, int col, uint32_t b[4]) {
    const int lane = static_cast<int>(threadIdx.x % kWarp);
    ldmatrix_x4(b, chunk(row + lane / 16 * 8 + lane % 8, col + lane / 8 % 2 * 8));
  }

  // Two fragments B[k][n] = tile[row + k][col + n]: b[0] and b[1] with n from 0, b[2] and b[3] with n from 8.
  __device__ void read_b(int row, int col, uint32_t b[4]) {
    const int lane = static_cast<int>(threadIdx.x % kWarp);
    ldmatrix_x4_trans(b, chunk(row + lane % 16, col + lane / 16 * 8));
  }
};

}  // namespace assay::device
