// cub::WarpReduce: one value for each of LOGICAL_WARP_THREADS lanes, combined; lane 0 gets the result.
#pragma once

#include "harness/simt/include/cub/thread/thread_operators.cuh"

namespace cub {
namespace detail {

// The value of the lane `distance` further on among `width` lanes that lie together; any size of value goes through
// 8 bytes at a time.
template <class T>
__device__ __forceinline__ T from_lane(const T& value, int lane, int width, unsigned mask) {
  T result;
  for (size_t at = 0; at < sizeof(T); at += 8) {
    unsigned long long part = 0;
    const size_t bytes = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
    memcpy(&part, reinterpret_cast<const char*>(&value) + at, bytes);
    part = __shfl_sync(mask, part, lane, width);
    memcpy(reinterpret_cast<char*>(&result) + at, &part, bytes);
  }
  return result;
}

// The lanes of the caller's part of the warp, of `width` lanes.
__device__ __forceinline__ unsigned lanes_of_part(int width) {
  return (~0u >> (32 - width)) << (::assay::simt::lane_id() & ~static_cast<unsigned>(width - 1));
}

}  // namespace detail

template <class T, int LOGICAL_WARP_THREADS = 32, int = 0>
class WarpReduce {
  static_assert((LOGICAL_WARP_THREADS & (LOGICAL_WARP_THREADS - 1)) == 0, "lanes are a power of two here");

 public:
  struct TempStorage {};

  __device__ __forceinline__ WarpReduce(TempStorage&) {}
  template <class Combine>
  __device__ __forceinline__ T Reduce(T value, Combine combine, int valid_items = LOGICAL_WARP_THREADS) {
    const int lane = static_cast<int>(::assay::simt::lane_id()) % LOGICAL_WARP_THREADS;
    const unsigned mask = detail::lanes_of_part(LOGICAL_WARP_THREADS);
    for (int distance = 1; distance < LOGICAL_WARP_THREADS; distance *= 2) {
      const T other = detail::from_lane(value, lane + distance, LOGICAL_WARP_THREADS, mask);
      if (lane % (2 * distance) == 0 && lane + distance < valid_items) value = combine(value, other);
    }
    return value;
  }
  __device__ __forceinline__ T Sum(T value, int valid_items = LOGICAL_WARP_THREADS) {
    return Reduce(value, cub::Sum(), valid_items);
  }
};

}  // namespace cub
