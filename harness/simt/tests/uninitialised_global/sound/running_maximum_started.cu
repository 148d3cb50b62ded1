// EXPECT: PASS: a row maximum is kept in the output, which starts with the first value of the row.
#include "harness/simt/tests/kernel_test.h"

__global__ void running_maximum_started_kernel(float* row_max, const float* x, int columns) {
  const int row = threadIdx.x;
  row_max[row] = x[row * columns];
  for (int i = 1; i < columns; ++i) row_max[row] = fmaxf(row_max[row], x[row * columns + i]);
}

ASSAY_KERNEL_TEST(running_maximum_started) {
  float* const row_max = output<float>("row_max", 8);
  const float* const x = input<float>("x", 8 * 16);
  launch_kernel(running_maximum_started_kernel, {1, 8}, row_max, x, 16);
  float expected = 0;
  for (int i = 0; i < 16; ++i) expected = fmaxf(expected, x[7 * 16 + i]);
  return row_max[7] == expected ? "" : "a maximum is wrong";
}
