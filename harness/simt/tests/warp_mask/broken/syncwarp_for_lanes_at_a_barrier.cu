// EXPECT: BARRIER: the first lane waits for its warp while the warp waits for it at the barrier of the block.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void syncwarp_for_lanes_at_a_barrier_kernel(float* out, const float* x) {
  __shared__ float scale;
  if (threadIdx.x == 0) {
    scale = x[0] + 1;
    __syncwarp();  // HERE
  }
  __syncthreads();  // HERE
  out[threadIdx.x] = scale;
}

ASSAY_KERNEL_TEST(syncwarp_for_lanes_at_a_barrier) {
  launch_kernel(syncwarp_for_lanes_at_a_barrier_kernel, {1, 64}, output<float>("out", 64), input<float>("x", 1));
  return "";
}
