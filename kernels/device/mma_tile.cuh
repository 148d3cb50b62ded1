// Tiles of f16 or bf16 in shared memory: cp.async brings them in, and warps load fragments of mma.sync from them.
//
// Rows lie kColumns + 8 elements apart. That is an odd number of 16 bytes, so the eight rows of 16 bytes that ldmatrix
// reads at a time are in different banks.
#pragma once

#include <cstdint>

#include "kernels/device/cp_async.cuh"
#include "kernels/device/ldmatrix.cuh"
#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace assay::device {

// T: __half or __nv_bfloat16. kColumns: a multiple of 16.
template <class T, int kColumns>
struct MmaTile {
  static_assert(sizeof(T) == 2 && kColumns % 16 == 0, "fragments have 16 columns of 16 bits");
  static constexpr int kWidth = Pack<T>::kWidth;
  static constexpr int kPacks = kColumns / kWidth;
  static constexpr int kStride = kColumns + kWidth;

  T* first;  // in shared memory, aligned to 16 bytes

  __device__ T* at(int row, int column) const { return first + row * kStride + column; }

  // Begins to copy kRows rows that lie `stride` elements apart and are aligned to 16 bytes. Of the matrix there are
  // `rows` more rows, of `columns` elements, a multiple of 8; the rest of the tile becomes zeros. All kThreads threads
  // of the block call it.
  template <int kRows, int kThreads>
  __device__ void copy_async(const T* from, int64_t stride, int64_t rows, int64_t columns) const {
    for (int n = static_cast<int>(threadIdx.x); n < kRows * kPacks; n += kThreads) {
      const int row = n / kPacks, column = n % kPacks * kWidth;
      const bool exists = row < rows && column < columns;
      cp_async<16>(at(row, column), exists ? from + row * stride + column : from, exists ? 16 : 0);
    }
  }

  // A (16, 16): rows [row, row + 16) and columns [column, column + 16) of the tile.
  __device__ void load_a(uint32_t a[4], int row, int column) const {
    const int lane = threadIdx.x % kWarp;
    ldmatrix_x4(a, at(row + lane % 16, column + lane / 16 * 8));
  }
  // B (16, 16), the same part of the tile: the left half in b[0] and b[1], the right one in b[2] and b[3].
  __device__ void load_b(uint32_t b[4], int row, int column) const {
    const int lane = threadIdx.x % kWarp;
    ldmatrix_x4_trans(b, at(row + lane % 16, column + lane / 16 * 8));
  }
  // B (16, 16), that part transposed: the tile's rows are columns of B.
  __device__ void load_b_transposed(uint32_t b[4], int row, int column) const {
    const int lane = threadIdx.x % kWarp;
    ldmatrix_x4(b, at(row + lane / 16 * 8 + lane % 8, column + lane / 8 % 2 * 8));
  }
};

}  // namespace assay::device
