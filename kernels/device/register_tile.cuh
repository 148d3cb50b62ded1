// A product by tiles of 64 by 64, of which each of 64 threads holds an 8 by 8 part in registers.
//
// 16 numbers read from shared memory serve 64 products, and both operands come from memory in packs of 16 bytes
// whichever way they are stored. Narrow elements are widened once per tile; sums are f32.
#pragma once

#include "kernels/device/gemm.cuh"
#include "kernels/device/shared_tile.cuh"

namespace assay::device {

constexpr int kRegisterTile = 64, kRegisterDepth = 16, kRegisterThreads = 64;
constexpr int kOwnPack = Pack<float>::kWidth;
constexpr int kOwn = 2 * kOwnPack;  // rows and columns of a thread

struct alignas(16) RegisterTile {
  float at[kRegisterDepth][kRegisterTile + kOwnPack];  // [k][row of A, or column of B]

  // at[k][i] = x(first + i, first_k + k), and zeros beyond x. by_k: x is stored (depth, count), else (count, depth),
  // with the starts of rows `stride` elements apart.
  template <class T>
  __device__ void load(const T* x, bool by_k, int64_t first, int64_t count, int64_t first_k, int64_t depth,
                       int64_t stride) {
    if (by_k) return load_by_k(x, first, count, first_k, depth, stride);
    load_rows<T>([=](int i) { return first + i < count ? x + (first + i) * stride : nullptr; }, first_k, depth);
  }

  template <class T>
  __device__ void load_by_k(const T* x, int64_t first, int64_t count, int64_t first_k, int64_t depth, int64_t stride) {
    constexpr int kWidth = Pack<T>::kWidth;
    for (int n = static_cast<int>(threadIdx.x); n < kRegisterTile * kRegisterDepth / kWidth; n += kRegisterThreads) {
      const int k = n / (kRegisterTile / kWidth), i = n % (kRegisterTile / kWidth) * kWidth;
      const T* row = x + (first_k + k) * stride;
      const Pack<T> pack = load_pack(row, first + i, first_k + k < depth ? count : 0, is_pack_aligned(row), 0);
      for (int j = 0; j < kWidth; ++j) at[k][i + j] = static_cast<float>(pack.values[j]);
    }
  }

  // at[k][i] = row_at(i)[first_k + k], and zeros beyond `depth` and where row_at(i) is null.
  template <class T, class RowAt>
  __device__ void load_rows(RowAt row_at, int64_t first_k, int64_t depth) {
    constexpr int kWidth = Pack<T>::kWidth, kPacks = kRegisterDepth / kWidth;
    for (int n = static_cast<int>(threadIdx.x); n < kRegisterTile * kPacks; n += kRegisterThreads) {
      const int i = n / kPacks, k = n % kPacks * kWidth;
      const T* row = row_at(i);
      const Pack<T> pack = load_pack(row, first_k + k, row != nullptr ? depth : 0, is_pack_aligned(row), 0);
      for (int j = 0; j < kWidth; ++j) at[k + j][i] = static_cast<float>(pack.values[j]);
    }
  }

  // The thread's eight elements for one k: four from `offset`, four from half a tile further, so that the lanes of a
  // warp read from different banks.
  __device__ void read(int k, int offset, float (&own)[kOwn]) const {
    const Pack<float> low = pack_at(&at[k][offset]), high = pack_at(&at[k][kRegisterTile / 2 + offset]);
    for (int i = 0; i < kOwnPack; ++i) {
      own[i] = low.values[i];
      own[kOwnPack + i] = high.values[i];
    }
  }
};

struct RegisterTiles {
  RegisterTile a, b;
};

// A thread's part of a tile of C.
struct RegisterBlock {
  int64_t first_row, first_col;  // of the tile
  int row, col;                  // of the thread's first element in it
  float sums[kOwn][kOwn] = {};

  // block: the tile's number, counted row by row; a C without columns counts as one column of tiles.
  __device__ RegisterBlock(const GemmArgs& args, int64_t block) {
    const int64_t tiles = args.cols > 0 ? (args.cols + kRegisterTile - 1) / kRegisterTile : 1;
    first_row = block / tiles * kRegisterTile;
    first_col = block % tiles * kRegisterTile;
    row = static_cast<int>(threadIdx.x) / 8 * kOwnPack;
    col = static_cast<int>(threadIdx.x) % 8 * kOwnPack;
  }

  // Adds up A B. The whole block calls it; tiles: shared memory. with_tile(tiles) is called while a step's tiles are
  // there.
  template <class T, class WithTile>
  __device__ void multiply(const T* a, const T* b, const GemmArgs& args, RegisterTiles& tiles, WithTile with_tile) {
    for (int64_t k = 0; k < args.depth; k += kRegisterDepth) {
      tiles.a.load(a, args.a.is_by_k, first_row, args.rows, k, args.depth, args.a.stride);
      tiles.b.load(b, args.b.is_by_k, first_col, args.cols, k, args.depth, args.b.stride);
      __syncthreads();
      with_tile(tiles);
      add_products(tiles);
      __syncthreads();
    }
  }

  // One step's products.
  __device__ void add_products(const RegisterTiles& tiles) {
#pragma unroll
    for (int d = 0; d < kRegisterDepth; ++d) {
      float left[kOwn], right[kOwn];
      tiles.a.read(d, row, left);
      tiles.b.read(d, col, right);
#pragma unroll
      for (int i = 0; i < kOwn; ++i)
#pragma unroll
        for (int j = 0; j < kOwn; ++j) sums[i][j] += left[i] * right[j];
    }
  }

  // The place of the thread's element i along a side of the tile: 0 … 3 from `first`, the others half a tile further.
  __device__ static int place(int first, int i) { return first + i % kOwnPack + i / kOwnPack * (kRegisterTile / 2); }

  // Calls f(row, col, sum) for each of the thread's elements; they may lie beyond C.
  template <class F>
  __device__ void for_each(F f) const {
#pragma unroll  // all of them: an index that is only known at run time would put the sums into memory
    for (int i = 0; i < kOwn; ++i)
#pragma unroll
      for (int j = 0; j < kOwn; ++j) f(first_row + place(row, i), first_col + place(col, j), sums[i][j]);
  }
};

}  // namespace assay::device
