// cub::BlockScan: for each thread of a block the combination of the values of those before it.
#pragma once

#include "harness/simt/include/cub/thread/thread_operators.cuh"

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

// As CUB's, it must not be called twice with the same storage without a barrier between.
template <class T, int BLOCK_DIM_X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1,
          int = 0>
class BlockScan {
  static constexpr int kThreads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

 public:
  // Raw memory: values in shared memory are not constructed.
  struct TempStorage {
    alignas(T) unsigned char values[kThreads][sizeof(T)];
  };

  __device__ __forceinline__ BlockScan(TempStorage& storage) : values_(reinterpret_cast<T*>(storage.values)) {}

  template <class Combine>
  __device__ __forceinline__ void InclusiveScan(T value, T& result, Combine combine) {
    const int thread = rank();
    values_[thread] = value;
    __syncthreads();
    for (int distance = 1; distance < kThreads; distance *= 2) {
      const bool has_before = thread >= distance;
      if (has_before) value = combine(values_[thread - distance], value);
      __syncthreads();
      if (has_before) values_[thread] = value;
      __syncthreads();
    }
    result = value;
  }
  template <class Combine>
  __device__ __forceinline__ void InclusiveScan(T value, T& result, Combine combine, T& all) {
    InclusiveScan(value, result, combine);
    all = values_[kThreads - 1];
  }
  template <class Combine>
  __device__ __forceinline__ void ExclusiveScan(T value, T& result, T first, Combine combine) {
    T through;
    InclusiveScan(value, through, combine);
    result = rank() == 0 ? first : combine(first, values_[rank() - 1]);
  }
  template <class Combine>
  __device__ __forceinline__ void ExclusiveScan(T value, T& result, T first, Combine combine, T& all) {
    ExclusiveScan(value, result, first, combine);
    all = values_[kThreads - 1];
  }
  template <int ITEMS, class Combine>
  __device__ __forceinline__ void ExclusiveScan(T (&items)[ITEMS], T (&results)[ITEMS], T first, Combine combine) {
    T value = items[0];
    for (int i = 1; i < ITEMS; ++i) value = combine(value, items[i]);
    T before;
    ExclusiveScan(value, before, first, combine);
    for (int i = 0; i < ITEMS; ++i) {
      const T item = items[i];
      results[i] = before;
      before = combine(before, item);
    }
  }
  template <class... All>
  __device__ __forceinline__ void InclusiveSum(T value, T& result, All&... all) {
    InclusiveScan(value, result, cub::Sum(), all...);
  }
  template <class... All>
  __device__ __forceinline__ void ExclusiveSum(T value, T& result, All&... all) {
    ExclusiveScan(value, result, T{}, cub::Sum(), all...);
  }
  template <int ITEMS>
  __device__ __forceinline__ void ExclusiveSum(T (&items)[ITEMS], T (&results)[ITEMS]) {
    ExclusiveScan(items, results, T{}, cub::Sum());
  }

 private:
  __device__ __forceinline__ static int rank() {
    return static_cast<int>(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
  }

  T* values_;
};

}  // namespace cub
