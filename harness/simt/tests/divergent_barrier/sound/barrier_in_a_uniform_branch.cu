// EXPECT: PASS: barriers in a branch and in a loop that depend on the block only.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void barrier_in_a_uniform_branch_kernel(int* out) {
  __shared__ int tile[64];
  const int t = threadIdx.x;
  tile[t] = t;
  if (blockIdx.x % 2 == 1) {
    __syncthreads();
    for (int i = 0; i < blockIdx.x; ++i) {
      const int next = tile[(t + 1) % 64];
      __syncthreads();
      tile[t] = next;
      __syncthreads();
    }
  }
  out[blockIdx.x * 64 + t] = tile[t];
}

ASSAY_KERNEL_TEST(barrier_in_a_uniform_branch) {
  int* const out = output<int>("out", 256);
  launch_kernel(barrier_in_a_uniform_branch_kernel, {4, 64}, out);
  return out[64] == 1 && out[128] == 0 && out[192 + 63] == 2 ? "" : "a value is wrong";
}
