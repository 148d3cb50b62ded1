// EXPECT: BARRIER: loading warps and computing warps wait at different barriers of a branch.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void barrier_in_both_branches_kernel(float* out, const float* x) {
  __shared__ float tile[32];
  const int t = threadIdx.x;
  if (t < 32) {
    tile[t] = x[t];
    __syncthreads();  // HERE
  } else {
    __syncthreads();  // HERE
    out[t - 32] = tile[63 - t];
  }
}

ASSAY_KERNEL_TEST(barrier_in_both_branches) {
  launch_kernel(barrier_in_both_branches_kernel, {1, 64}, output<float>("out", 32), input<float>("x", 32));
  return "";
}
