// EXPECT: BARRIER: threads without a column wait at a barrier of their own before they return.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void barrier_before_an_early_return_kernel(float* out, const float* x, int n) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  if (t >= n) {
    __syncthreads();  // HERE
    return;
  }
  tile[t] = x[t];
  __syncthreads();  // HERE
  out[t] = tile[n - 1 - t];
}

ASSAY_KERNEL_TEST(barrier_before_an_early_return) {
  launch_kernel(barrier_before_an_early_return_kernel, {1, 64}, output<float>("out", 64), input<float>("x", 50), 50);
  return "";
}
