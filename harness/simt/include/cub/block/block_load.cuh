// cub::BlockLoad: a block's part of an array into its threads, some items to each.
#pragma once

#include "harness/simt/include/cub/block/block_items.cuh"

namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,  // here one by one: that the array is aligned, as CUB asks, is not checked
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

// As CUB's, one that transposes must not be called twice with the same storage without a barrier between.
template <class T, int BLOCK_DIM_X, int ITEMS, BlockLoadAlgorithm ALGORITHM = BLOCK_LOAD_DIRECT, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int = 0>
class BlockLoad {
  using All = detail::BlockItems<T, BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, ITEMS, detail::items_of(ALGORITHM)>;

 public:
  using TempStorage = typename All::TempStorage;
  __device__ __forceinline__ BlockLoad(TempStorage& storage) : all_(storage) {}

  // Items from `valid` on stay as they are.
  template <class Input>
  __device__ __forceinline__ void Load(Input from, T (&items)[ITEMS], int valid = All::kCount) {
    for (int i = 0; i < ITEMS; ++i)
      if (all_.place(i) < valid) items[i] = from[all_.place(i)];
    all_.gather(items);
  }
  // Or are `beyond`.
  template <class Input, class Beyond>
  __device__ __forceinline__ void Load(Input from, T (&items)[ITEMS], int valid, Beyond beyond) {
    for (int i = 0; i < ITEMS; ++i) items[i] = beyond;
    Load(from, items, valid);
  }

 private:
  All all_;
};

}  // namespace cub
