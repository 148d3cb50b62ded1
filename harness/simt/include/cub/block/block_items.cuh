// Where each item of a block's threads lies in memory, for cub::BlockLoad and cub::BlockStore.
#pragma once

#include "harness/simt/include/cub/thread/thread_operators.cuh"

namespace cub::detail {

// Blocked: a thread's items lie side by side. Striped: a block's width apart. The last two lie in memory a block's or a
// warp's width apart and are exchanged through shared memory, so that threads hold neighbours.
enum class Items { blocked, striped, exchanged_by_block, exchanged_by_warp };

// CUB's algorithms for loading and those for storing, which are numbered alike.
enum Algorithm { direct, striped, vectorize, transpose, warp_transpose };
constexpr Items items_of(int algorithm) {
  return algorithm == striped          ? Items::striped
         : algorithm == transpose      ? Items::exchanged_by_block
         : algorithm >= warp_transpose ? Items::exchanged_by_warp
                                       : Items::blocked;
}

template <class T, int THREADS, int ITEMS, Items LIE>
class BlockItems {
 public:
  static constexpr int kCount = THREADS * ITEMS;
  static constexpr bool kExchanged = LIE == Items::exchanged_by_block || LIE == Items::exchanged_by_warp;
  // Raw memory: values in shared memory are not constructed.
  struct TempStorage {
    alignas(T) unsigned char values[kExchanged ? kCount : 1][sizeof(T)];
  };

  __device__ __forceinline__ explicit BlockItems(TempStorage& storage)
      : values_(reinterpret_cast<T*>(storage.values)),
        thread_(static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))) {}

  // The index in memory of a thread's item.
  __device__ __forceinline__ int place(int item) const {
    if constexpr (LIE == Items::blocked) return thread_ * ITEMS + item;
    if constexpr (LIE == Items::exchanged_by_warp) return thread_ / 32 * 32 * ITEMS + item * 32 + thread_ % 32;
    return item * THREADS + thread_;
  }

  // From where they lie in memory to each thread's neighbours.
  __device__ __forceinline__ void gather(T (&items)[ITEMS]) const {
    if constexpr (!kExchanged) return;
    for (int i = 0; i < ITEMS; ++i) values_[place(i)] = items[i];
    meet();
    for (int i = 0; i < ITEMS; ++i) items[i] = values_[thread_ * ITEMS + i];
  }

  // And back.
  __device__ __forceinline__ void scatter(T (&items)[ITEMS]) const {
    if constexpr (!kExchanged) return;
    for (int i = 0; i < ITEMS; ++i) values_[thread_ * ITEMS + i] = items[i];
    meet();
    for (int i = 0; i < ITEMS; ++i) items[i] = values_[place(i)];
  }

 private:
  __device__ __forceinline__ void meet() const {
    if constexpr (LIE == Items::exchanged_by_warp)
      __syncwarp();
    else
      __syncthreads();
  }

  T* values_;
  int thread_;
};

}  // namespace cub::detail
