// cub::BlockReduce: the values of a block's threads, combined; thread 0 gets the result.
#pragma once

#include "harness/simt/include/cub/thread/thread_operators.cuh"

namespace cub {

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };

// As CUB's, it must not be called twice with the same storage without a barrier between.
template <class T, int BLOCK_DIM_X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int = 0>
class BlockReduce {
  static constexpr int kThreads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

 public:
  // Raw memory: values in shared memory are not constructed.
  struct TempStorage {
    alignas(T) unsigned char values[kThreads][sizeof(T)];
  };

  __device__ __forceinline__ BlockReduce(TempStorage& storage) : values_(reinterpret_cast<T*>(storage.values)) {}

  template <class Combine>
  __device__ __forceinline__ T Reduce(T value, Combine combine, int valid_items = kThreads) {
    const int thread = static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
    values_[thread] = value;
    __syncthreads();
    for (int distance = 1; distance < kThreads; distance *= 2) {
      if (thread % (2 * distance) == 0 && thread + distance < valid_items) {
        value = combine(value, values_[thread + distance]);
        values_[thread] = value;
      }
      __syncthreads();
    }
    return value;
  }
  template <int ITEMS, class Combine>
  __device__ __forceinline__ T Reduce(T (&items)[ITEMS], Combine combine) {
    T value = items[0];
    for (int i = 1; i < ITEMS; ++i) value = combine(value, items[i]);
    return Reduce(value, combine);
  }
  __device__ __forceinline__ T Sum(T value, int valid_items = kThreads) {
    return Reduce(value, cub::Sum(), valid_items);
  }
  template <int ITEMS>
  __device__ __forceinline__ T Sum(T (&items)[ITEMS]) {
    return Reduce(items, cub::Sum());
  }

 private:
  T* values_;
};

}  // namespace cub
