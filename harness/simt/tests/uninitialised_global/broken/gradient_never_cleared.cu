// EXPECT: UNINITIALISED: a backward adds atomically to a weight gradient that nobody has cleared.
// SAYS: dgamma[0]
#include "harness/simt/tests/kernel_test.h"

__global__ void gradient_never_cleared_kernel(float* dgamma, const float* dy) {
  atomicAdd(&dgamma[threadIdx.x], dy[blockIdx.x * 64 + threadIdx.x]);  // HERE
}

ASSAY_KERNEL_TEST(gradient_never_cleared) {
  launch_kernel(gradient_never_cleared_kernel, {4, 64}, output<float>("dgamma", 64), input<float>("dy", 256));
  return "";
}
