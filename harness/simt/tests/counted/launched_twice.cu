// TOTAL: launches=2 blocks=3 requests=6
// Launches of one kernel are added up.
#include "harness/simt/tests/kernel_test.h"

__global__ void launched_twice_kernel(float* out, const float* in) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}

ASSAY_KERNEL_TEST(launched_twice) {
  launch_kernel(launched_twice_kernel, {1, 32}, output<float>("first", 32), input<float>("in", 32));
  launch_kernel(launched_twice_kernel, {2, 32}, output<float>("second", 64), input<float>("more", 64));
  return "";
}
