// EXPECT: PASS: a quantisation writes bytes up to an odd count.
#include "harness/simt/tests/kernel_test.h"

__global__ void bytes_up_to_the_end_kernel(signed char* quantised, const float* x, int n) {
  const int i = threadIdx.x;
  if (i < n) quantised[i] = static_cast<signed char>(x[i]);
}

ASSAY_KERNEL_TEST(bytes_up_to_the_end) {
  signed char* const quantised = output<signed char>("quantised", 61);
  launch_kernel(bytes_up_to_the_end_kernel, {1, 64}, quantised, input<float>("x", 64), 61);
  return quantised[60] == 60 * 7 % 31 ? "" : "a value is wrong";
}
