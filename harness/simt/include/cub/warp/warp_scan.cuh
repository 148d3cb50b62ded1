// cub::WarpScan: for each lane the combination of the values of those before it, with its own or without.
#pragma once

#include "harness/simt/include/cub/warp/warp_reduce.cuh"

namespace cub {

template <class T, int LOGICAL_WARP_THREADS = 32, int = 0>
class WarpScan {
  static_assert((LOGICAL_WARP_THREADS & (LOGICAL_WARP_THREADS - 1)) == 0, "lanes are a power of two here");

 public:
  struct TempStorage {};

  __device__ __forceinline__ WarpScan(TempStorage&) {}
  template <class Combine>
  __device__ __forceinline__ void InclusiveScan(T value, T& result, Combine combine) {
    for (int distance = 1; distance < LOGICAL_WARP_THREADS; distance *= 2) {
      const T before = of_lane(value, lane() - distance);
      if (lane() >= distance) value = combine(before, value);
    }
    result = value;
  }
  template <class Combine>
  __device__ __forceinline__ void InclusiveScan(T value, T& result, Combine combine, T& all) {
    InclusiveScan(value, result, combine);
    all = of_lane(result, LOGICAL_WARP_THREADS - 1);
  }
  template <class Combine>
  __device__ __forceinline__ void ExclusiveScan(T value, T& result, T first, Combine combine) {
    T through;
    InclusiveScan(value, through, combine);
    const T before = of_lane(through, lane() - 1);
    result = lane() == 0 ? first : combine(first, before);
  }
  template <class... All>
  __device__ __forceinline__ void InclusiveSum(T value, T& result, All&... all) {
    InclusiveScan(value, result, cub::Sum(), all...);
  }
  __device__ __forceinline__ void ExclusiveSum(T value, T& result) { ExclusiveScan(value, result, T{}, cub::Sum()); }
  __device__ __forceinline__ void ExclusiveSum(T value, T& result, T& all) {
    ExclusiveSum(value, result);
    all = of_lane(result + value, LOGICAL_WARP_THREADS - 1);
  }

 private:
  __device__ __forceinline__ static int lane() {
    return static_cast<int>(::assay::simt::lane_id()) % LOGICAL_WARP_THREADS;
  }
  __device__ __forceinline__ static T of_lane(const T& value, int lane) {
    return detail::from_lane(value, lane & (LOGICAL_WARP_THREADS - 1), LOGICAL_WARP_THREADS,
                             detail::lanes_of_part(LOGICAL_WARP_THREADS));
  }
};

}  // namespace cub
