// EXPECT: UNINITIALISED: a row maximum is kept in the output, whose first value nobody has written.
// SAYS: row_max[0]: read by thread (0,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void running_maximum_never_started_kernel(float* row_max, const float* x, int columns) {
  const int row = threadIdx.x;
  for (int i = 0; i < columns; ++i) row_max[row] = fmaxf(row_max[row], x[row * columns + i]);  // HERE
}

ASSAY_KERNEL_TEST(running_maximum_never_started) {
  launch_kernel(running_maximum_never_started_kernel, {1, 8}, output<float>("row_max", 8), input<float>("x", 8 * 16),
                16);
  return "";
}
