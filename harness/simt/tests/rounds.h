// A loop with a barrier in it, and one barrier behind it: right if every thread goes round equally often.
#pragma once

#include "harness/simt/tests/kernel_test.h"

__device__ inline void go_round(int* out, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    out[threadIdx.x] += i;
    __syncthreads();
  }
  out[threadIdx.x] *= 2;
  __syncthreads();
  out[threadIdx.x] += out[(threadIdx.x + 1) % blockDim.x];
}
