// EXPECT: BARRIER: half of the block waits at one barrier, the others at the next.
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void barrier_in_branch_kernel(int* out) {
  if (threadIdx.x < 48) {
    out[threadIdx.x] = 1;
    __syncthreads();
  }
  out[threadIdx.x] += 1;
  __syncthreads();
}

ASSAY_KERNEL_TEST(barrier_in_a_branch) {
  std::vector<int> out(128);
  launch_kernel(barrier_in_branch_kernel, {1, 128}, out.data());
  return "";
}
