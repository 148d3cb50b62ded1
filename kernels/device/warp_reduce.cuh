// Combining one value per lane of a warp, by shuffles: no shared memory and no barrier.
//
// The combiners below are what every reduction of this folder takes: they are commutative, and carry the value that
// changes nothing, for lanes that have none of their own.
#pragma once

namespace assay::device {

constexpr unsigned kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

struct Add {
  static constexpr float kIdentity = 0;
  template <class T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};

// The larger of two; NaN when either is NaN, which fmaxf would drop.
struct Larger {
  static constexpr float kIdentity = -INFINITY;
  __device__ float operator()(float a, float b) const { return b > a || isnan(b) ? b : a; }
};

// The lanes of a warp in groups of kLanes neighbours, a power of two: every lane gets its group's result. All 32 lanes
// must be there and call it together, so blocks are multiples of 32 threads.
template <int kLanes, class T, class Combine>
__device__ T group_reduce(T value, Combine combine) {
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    value = combine(value, __shfl_xor_sync(kAllLanes, value, distance));
  return value;
}

// Every lane gets the result of the whole warp.
template <class T, class Combine>
__device__ T warp_reduce(T value, Combine combine) {
  return group_reduce<kWarp>(value, combine);
}

}  // namespace assay::device
