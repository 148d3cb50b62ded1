// EXPECT: TIMEOUT: the blocks wait until one more has come than there are.
// RUNS IN: fast
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void grid_barrier_for_one_more(int* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) <= static_cast<int>(gridDim.x)) {
    }
  }
  __syncthreads();
}

ASSAY_KERNEL_TEST(blocks_wait_for_nobody) {
  int arrived = 0;
  launch_kernel(grid_barrier_for_one_more, {16, 64}, &arrived);
  return "";
}
