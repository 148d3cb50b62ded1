// Kernels around cuDNN's backward norms, which take weights in f32, and write their gradients over what was there.
#pragma once

#include "harness/op/variant.h"

namespace assay::vendor {

template <class T>
__global__ void widen(const T* weights, float* wide, int64_t dim) {
  const int64_t d = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (d < dim) wide[d] = static_cast<float>(weights[d]);
}

__global__ inline void add_to(float* sums, const float* terms, int64_t dim) {
  const int64_t d = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (d < dim) sums[d] += terms[d];
}

// A thread for each weight.
inline Launch over_weights(int64_t dim) {
  constexpr unsigned kBlock = 256;
  return {.grid = dim3(ceil_div(dim, kBlock)), .block = dim3(kBlock)};
}

}  // namespace assay::vendor
