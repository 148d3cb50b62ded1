// cub::BlockStore: the items of a block's threads into its part of an array.
#pragma once

#include "harness/simt/include/cub/block/block_items.cuh"

namespace cub {

enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,  // here one by one: that the array is aligned, as CUB asks, is not checked
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

// As CUB's, one that transposes must not be called twice with the same storage without a barrier between.
template <class T, int BLOCK_DIM_X, int ITEMS, BlockStoreAlgorithm ALGORITHM = BLOCK_STORE_DIRECT, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int = 0>
class BlockStore {
  using All = detail::BlockItems<T, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, ITEMS, detail::items_of(ALGORITHM)>;

 public:
  using TempStorage = typename All::TempStorage;
  __device__ __forceinline__ BlockStore(TempStorage& storage) : all_(storage) {}

  // Items from `valid` on are not stored.
  template <class Output>
  __device__ __forceinline__ void Store(Output to, T (&items)[ITEMS], int valid = All::kCount) {
    all_.scatter(items);
    for (int i = 0; i < ITEMS; ++i)
      if (all_.place(i) < valid) to[all_.place(i)] = items[i];
  }

 private:
  All all_;
};

}  // namespace cub
