// Counts of what is no finite number among f32 elements, and the range and the sum of the rest, combined over a block.
#pragma once

#include <cstdint>

namespace assay::device {

// The sum is in double, so that one of elements near the end of f32's range stays finite.
struct FiniteStats {
  double sum;
  unsigned long long nans, infinities;
  float least, largest;
};

__device__ inline FiniteStats no_stats() { return {0, 0, 0, INFINITY, -INFINITY}; }

__device__ inline void add_element(FiniteStats& stats, float x) {
  if (isnan(x)) {
    ++stats.nans;
  } else if (isinf(x)) {
    ++stats.infinities;
  } else {
    stats.sum += x;
    stats.least = fminf(stats.least, x);
    stats.largest = fmaxf(stats.largest, x);
  }
}

__device__ inline FiniteStats combined(const FiniteStats& a, const FiniteStats& b) {
  return {a.sum + b.sum, a.nans + b.nans, a.infinities + b.infinities, fminf(a.least, b.least),
          fmaxf(a.largest, b.largest)};
}

// The statistics over all threads of a block of any size; thread 0 gets the result. scratch: (blockDim.x).
__device__ inline FiniteStats block_stats(const FiniteStats& own, FiniteStats* scratch) {
  scratch[threadIdx.x] = own;
  __syncthreads();
  unsigned span = 1;
  while (span < blockDim.x) span *= 2;
  for (unsigned half = span / 2; half > 0; half /= 2) {
    if (threadIdx.x < half && threadIdx.x + half < blockDim.x)
      scratch[threadIdx.x] = combined(scratch[threadIdx.x], scratch[threadIdx.x + half]);
    __syncthreads();
  }
  return scratch[0];
}

// The outputs: five scalars.
struct StatsOutputs {
  unsigned long long *nans, *infinities;
  float *least, *largest, *mean;
};

__device__ inline void write_stats(const FiniteStats& stats, int64_t count, const StatsOutputs& out) {
  *out.nans = stats.nans;
  *out.infinities = stats.infinities;
  *out.least = stats.least;
  *out.largest = stats.largest;
  const int64_t finite = count - static_cast<int64_t>(stats.nans) - static_cast<int64_t>(stats.infinities);
  *out.mean = finite > 0 ? static_cast<float>(stats.sum / static_cast<double>(finite)) : NAN;
}

}  // namespace assay::device
