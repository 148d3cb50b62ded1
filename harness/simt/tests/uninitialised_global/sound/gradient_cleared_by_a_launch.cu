// EXPECT: PASS: a backward adds atomically to a weight gradient that a launch before has cleared.
#include "harness/simt/tests/kernel_test.h"

__global__ void gradient_cleared_by_a_launch_clear_kernel(float* dgamma) { dgamma[threadIdx.x] = 0; }
__global__ void gradient_cleared_by_a_launch_kernel(float* dgamma, const float* dy) {
  atomicAdd(&dgamma[threadIdx.x], dy[blockIdx.x * 64 + threadIdx.x]);
}

ASSAY_KERNEL_TEST(gradient_cleared_by_a_launch) {
  float* const dgamma = output<float>("dgamma", 64);
  const float* const dy = input<float>("dy", 256);
  launch_kernel(gradient_cleared_by_a_launch_clear_kernel, {1, 64}, dgamma);
  launch_kernel(gradient_cleared_by_a_launch_kernel, {4, 64}, dgamma, dy);
  return dgamma[3] == dy[3] + dy[67] + dy[131] + dy[195] ? "" : "a gradient is wrong";
}
