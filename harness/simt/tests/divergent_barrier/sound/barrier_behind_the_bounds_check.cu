// EXPECT: PASS: threads past the end of the row wait at the same barriers as the others.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void barrier_behind_the_bounds_check_kernel(float* out, const float* x, int n) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  tile[t] = 0;
  if (t < n) tile[t] = x[t];
  __syncthreads();
  out[t] = tile[63 - t];
  __syncthreads();
}

ASSAY_KERNEL_TEST(barrier_behind_the_bounds_check) {
  float* const out = output<float>("out", 64);
  const float* const x = input<float>("x", 50);
  launch_kernel(barrier_behind_the_bounds_check_kernel, {1, 64}, out, x, 50);
  return out[0] == 0 && out[63] == x[0] && out[14] == x[49] ? "" : "a value is wrong";
}
