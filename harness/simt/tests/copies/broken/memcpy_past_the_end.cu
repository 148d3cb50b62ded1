// EXPECT: OUT_OF_BOUNDS: the last thread copies three elements where the buffer has one left.
// SAYS: y[94]
#include "harness/simt/tests/kernel_test.h"

__global__ void memcpy_past_the_end_kernel(float* y, const float* x) {
  memcpy(y + 3 * threadIdx.x, x + 3 * threadIdx.x, 12);  // HERE
}

ASSAY_KERNEL_TEST(memcpy_past_the_end) {
  launch_kernel(memcpy_past_the_end_kernel, {1, 32}, output<float>("y", 94), input<float>("x", 96));
  return "";
}
