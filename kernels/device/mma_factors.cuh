// The result of one product of a warp on tensor cores, as the left factor of the next: rounded to 16 bits, in
// registers.
//
// A lane's part of a matrix of 16 rows is one fragment D, float[4], for every 8 columns. As the left factor of a
// product it is one fragment A, uint32_t[4], for every 16 columns, and of the same elements.
#pragma once

#include <type_traits>

#include "kernels/device/mma.cuh"
#include "kernels/device/swizzled_tile.cuh"

namespace assay::device {

// T: __half or __nv_bfloat16. `low` in the lower half.
template <class T>
__device__ uint32_t round_pair(float low, float high) {
  if constexpr (std::is_same_v<T, __half>) {
    const __half2 pair = __floats2half2_rn(low, high);
    return *reinterpret_cast<const uint32_t*>(&pair);
  } else {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const uint32_t*>(&pair);
  }
}

// Two fragments D side by side are a fragment A.
template <class T, int kCols>
__device__ void to_factors(const float (&sums)[kCols][4], uint32_t (&factors)[kCols / 2][4]) {
#pragma unroll
  for (int n = 0; n < kCols / 2; ++n)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      factors[n][i] = round_pair<T>(sums[2 * n + i / 2][i % 2 * 2], sums[2 * n + i / 2][i % 2 * 2 + 1]);
}

// sums += weights y, of the columns of y from first_lane on.
template <class T, int kStreamed, int kDim, int kFragments>
__device__ void add_weighted(const uint32_t (&weights)[kStreamed / 16][4], SwizzledTile<T, kStreamed, kDim>& y,
                             int first_lane, float (&sums)[kFragments][4]) {
#pragma unroll
  for (int n = 0; n < kStreamed; n += 16)
#pragma unroll
    for (int d = 0; d < kFragments * 8; d += 16) {
      uint32_t b[4];
      y.read_b(n, first_lane + d, b);
      mma_m16n8k16<T>(sums[d / 8], weights[n / 16], b);
      mma_m16n8k16<T>(sums[d / 8 + 1], weights[n / 16], b + 2);
    }
}

}  // namespace assay::device
