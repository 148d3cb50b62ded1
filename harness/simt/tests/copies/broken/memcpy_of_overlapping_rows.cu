// EXPECT: RACE: a row is moved by one element with memcpy.
// SAYS: whose source begins 4 bytes before its destination
#include "harness/simt/tests/kernel_test.h"

__global__ void memcpy_of_overlapping_rows_kernel(float* x, int n) {
  memcpy(x + 1, x, n * sizeof(float));  // HERE
}

ASSAY_KERNEL_TEST(memcpy_of_overlapping_rows) {
  launch_kernel(memcpy_of_overlapping_rows_kernel, {1, 1}, accumulated<float>("x", 40), 32);
  return "";
}
