// EXPECT: PASS: loading warps and computing warps wait at one barrier between two branches.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void barrier_between_the_branches_kernel(float* out, const float* x) {
  __shared__ float tile[32];
  const int t = threadIdx.x;
  if (t < 32) tile[t] = x[t];
  __syncthreads();
  if (t >= 32) out[t - 32] = tile[63 - t];
}

ASSAY_KERNEL_TEST(barrier_between_the_branches) {
  float* const out = output<float>("out", 32);
  const float* const x = input<float>("x", 32);
  launch_kernel(barrier_between_the_branches_kernel, {1, 64}, out, x);
  return out[0] == x[31] && out[31] == x[0] ? "" : "a value is wrong";
}
