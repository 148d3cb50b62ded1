// EXPECT: BARRIER: a branch takes the active lanes for those that took it, but other lanes may still be active.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void mask_from_activemask_kernel(float* out, const float* x) {
  float sum = x[threadIdx.x];
  if (threadIdx.x % 2 == 0) {
    const unsigned mask = __activemask();
    for (int offset = 16; offset > 1; offset >>= 1) sum += __shfl_down_sync(mask, sum, offset);  // HERE
  }
  __syncthreads();  // HERE
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(mask_from_activemask) {
  launch_kernel(mask_from_activemask_kernel, {1, 32}, output<float>("out", 32), input<float>("x", 32));
  return "";
}
