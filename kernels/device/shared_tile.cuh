// Tiles of a matrix in shared memory: 64 columns of some rows, as f32, for kernels that compute products of tiles in
// f32 whatever the matrix holds.
//
// Narrow elements are widened once per tile instead of once per use. Rows of the matrix are read and written in packs
// of 16 bytes where they are aligned. A tile's rows lie 68 elements apart: threads that read the same columns of
// neighbouring rows, 16 bytes each, find them in different banks.
#pragma once

#include "kernels/device/vector_load.cuh"
#include "kernels/device/warp_reduce.cuh"

namespace assay::device {

constexpr int kTileColumns = 64;
constexpr int kTileStride = kTileColumns + Pack<float>::kWidth;

// Four neighbouring elements of a tile, the first at a multiple of four.
__device__ inline Pack<float>& pack_at(float* elements) { return *reinterpret_cast<Pack<float>*>(elements); }
__device__ inline const Pack<float>& pack_at(const float* elements) {
  return *reinterpret_cast<const Pack<float>*>(elements);
}

// The place of a tile in a row-major matrix whose rows begin `stride` elements apart; it may reach past the matrix.
struct TilePlace {
  int64_t stride, rows, columns;    // of the matrix
  int64_t first_row, first_column;  // the column is a multiple of 64

  // Elements of the tile's row that may be touched, counted from the matrix's first column.
  __device__ int64_t columns_of(int row) const { return first_row + row < rows ? columns : 0; }
};

// Reads `rows` rows of a tile; zeros where it reaches past the matrix. The whole block calls it and waits at a barrier
// before and after.
template <class T>
__device__ void load_tile(float* tile, int rows, const T* matrix, const TilePlace& place) {
  constexpr int kWidth = Pack<T>::kWidth, kPacks = kTileColumns / kWidth;
  for (int n = static_cast<int>(threadIdx.x); n < rows * kPacks; n += static_cast<int>(blockDim.x)) {
    const int row = n / kPacks, column = n % kPacks * kWidth;
    const T* from = matrix + (place.first_row + row) * place.stride;
    const Pack<T> loaded =
        load_pack(from, place.first_column + column, place.columns_of(row), is_pack_aligned(from), 0);
    for (int part = 0; part < kWidth; part += Pack<float>::kWidth) {
      Pack<float> wide;
      for (int i = 0; i < Pack<float>::kWidth; ++i) wide.values[i] = static_cast<float>(loaded.values[part + i]);
      pack_at(tile + row * kTileStride + column + part) = wide;
    }
  }
}

// Writes `rows` rows of a tile, as far as it lies in the matrix. A warp calls it together.
template <class T>
__device__ void store_tile(const float* tile, int rows, T* matrix, const TilePlace& place) {
  constexpr int kWidth = Pack<T>::kWidth, kPacks = kTileColumns / kWidth;
  for (int n = static_cast<int>(threadIdx.x % kWarp); n < rows * kPacks; n += static_cast<int>(kWarp)) {
    const int row = n / kPacks, column = n % kPacks * kWidth;
    T* to = matrix + (place.first_row + row) * place.stride;
    Pack<T> narrow;
    for (int i = 0; i < kWidth; ++i) narrow.values[i] = static_cast<T>(tile[row * kTileStride + column + i]);
    store_pack(to, place.first_column + column, place.columns_of(row), is_pack_aligned(to), narrow);
  }
}

}  // namespace assay::device
