// EXPECT: BARRIER: threads past the end of the row skip the first barrier and wait at the second.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void barrier_in_the_bounds_check_kernel(float* out, const float* x, int n) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  tile[t] = 0;
  if (t < n) {
    tile[t] = x[t];
    __syncthreads();  // HERE
  }
  out[t] = tile[t];
  __syncthreads();  // HERE
}

ASSAY_KERNEL_TEST(barrier_in_the_bounds_check) {
  launch_kernel(barrier_in_the_bounds_check_kernel, {1, 64}, output<float>("out", 64), input<float>("x", 50), 50);
  return "";
}
