// EXPECT: OUT_OF_BOUNDS: a thread of a matrix product adds to a column that its accumulators do not have.
// SAYS: index 4 of 'float
#include "harness/simt/tests/kernel_test.h"

__global__ void accumulator_past_its_row_kernel(float* out, const float* x, int columns) {
  float sums[2][4] = {};
  for (int column = 0; column <= columns; ++column) sums[0][column] += x[threadIdx.x * 5 + column];  // HERE
  for (int row = 0; row < 2; ++row) {
    for (int column = 0; column < columns; ++column) out[(threadIdx.x * 2 + row) * 4 + column] = sums[row][column];
  }
}

ASSAY_KERNEL_TEST(accumulator_past_its_row) {
  launch_kernel(accumulator_past_its_row_kernel, {1, 32}, output<float>("out", 256), input<float>("x", 160), 4);
  return "";
}
