// EXPECT: TIMEOUT: 300 blocks of 1024 threads meet, and no GPU of ours keeps more than 264 of them at a time.
// RUNS IN: fast
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void grid_barrier_of_too_many(int* arrived) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < static_cast<int>(gridDim.x)) {
    }
  }
  __syncthreads();
}

ASSAY_KERNEL_TEST(more_blocks_meet_than_a_gpu_keeps) {
  int arrived = 0;
  launch_kernel(grid_barrier_of_too_many, {300, 1024}, &arrived);
  return "";
}
