// EXPECT: TIMEOUT: the blocks of a plain launch wait for each other with an atomic counter.
// RUNS IN: fast
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void grid_barrier(int* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < static_cast<int>(gridDim.x)) {
    }
  }
  __syncthreads();
}

ASSAY_KERNEL_TEST(block_waits_for_block) {
  int arrived = 0;
  launch_kernel(grid_barrier, {64, 64}, &arrived);
  return "";
}
