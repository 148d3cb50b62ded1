// Rows that threads hold in registers, in packs of 16 bytes, and what blocks add up in a table of partial sums: what
// the variants of the norms share.
#pragma once

#include "harness/op/variant.h"

namespace assay::device {

// Packs for each of `threads` threads that cover `count` elements, as a power of two: kernels are compiled for some.
inline int held_packs(DType dtype, int64_t count, int threads) {
  const int64_t width = 16 / static_cast<int64_t>(size_of(dtype));
  int held = 1;
  while (held * width * threads < count) held *= 2;
  return held;
}

// Calls f.operator()<kHeld>() for the number of packs that held_packs() gave, kMax at most.
template <int kMax, class F>
void by_held(int held, F f) {
  if constexpr (kMax > 1) {
    if (held < kMax) return by_held<kMax / 2>(held, f);
  }
  f.template operator()<kMax>();
}

constexpr int kTotalColumns = 32, kTotalSlices = 8;  // of a block that adds up partial sums

// total[d] = the sum of column d of partials, (count, dim), added to what is there or not. Always in the same order:
// each slice of a block of kTotalColumns · kTotalSlices threads adds up every kTotalSlices-th row.
template <class T>
__global__ void add_partials(const float* partials, T* total, int64_t count, int64_t dim, bool adds) {
  __shared__ float slices[kTotalSlices][kTotalColumns];
  const unsigned slice = threadIdx.x / kTotalColumns, column = threadIdx.x % kTotalColumns;
  const int64_t d = int64_t{blockIdx.x} * kTotalColumns + column;
  float sum = 0;
  if (d < dim)
    for (int64_t p = slice; p < count; p += kTotalSlices) sum += partials[p * dim + d];
  slices[slice][column] = sum;
  __syncthreads();
  if (slice > 0 || d >= dim) return;
  for (int s = 1; s < kTotalSlices; ++s) sum += slices[s][column];
  total[d] = adds ? total[d] + sum : sum;
}

inline void launch_add_partials(const float* partials, float* total, int64_t count, int64_t dim, bool adds) {
  launch(add_partials<float>, {.grid = dim3(ceil_div(dim, kTotalColumns)), .block = dim3(kTotalColumns * kTotalSlices)},
         partials, total, count, dim, adds);
}

}  // namespace assay::device
