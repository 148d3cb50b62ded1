// EXPECT: OUT_OF_BOUNDS: a quantisation writes a byte past an odd count, in the word of the last one.
// SAYS: quantised[61]: write by thread (61,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void bytes_past_the_end_kernel(signed char* quantised, const float* x, int n) {
  const int i = threadIdx.x;
  if (i <= n) quantised[i] = static_cast<signed char>(x[i]);  // HERE
}

ASSAY_KERNEL_TEST(bytes_past_the_end) {
  launch_kernel(bytes_past_the_end_kernel, {1, 64}, output<signed char>("quantised", 61), input<float>("x", 64), 61);
  return "";
}
