// EXPECT: PASS: threads without a column return, and the others wait for each other only.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void barrier_after_an_early_return_kernel(float* out, const float* x, int n) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  if (t >= n) return;
  tile[t] = x[t];
  __syncthreads();
  out[t] = tile[n - 1 - t];
}

ASSAY_KERNEL_TEST(barrier_after_an_early_return) {
  float* const out = output<float>("out", 64);
  const float* const x = input<float>("x", 50);
  launch_kernel(barrier_after_an_early_return_kernel, {1, 64}, out, x, 50);
  return out[49] == x[0] && out[0] == x[49] ? "" : "a value is wrong";
}
