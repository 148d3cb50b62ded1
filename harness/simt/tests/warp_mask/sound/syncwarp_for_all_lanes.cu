// EXPECT: PASS: the whole warp waits for its first lane before it goes to the barrier of the block.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void syncwarp_for_all_lanes_kernel(float* out, const float* x) {
  __shared__ float scale;
  if (threadIdx.x == 0) scale = x[0] + 1;
  __syncwarp();
  __syncthreads();
  out[threadIdx.x] = scale;
}

ASSAY_KERNEL_TEST(syncwarp_for_all_lanes) {
  float* const out = output<float>("out", 64);
  launch_kernel(syncwarp_for_all_lanes_kernel, {1, 64}, out, input<float>("x", 1));
  return out[0] == 1 && out[63] == 1 ? "" : "a value is wrong";
}
