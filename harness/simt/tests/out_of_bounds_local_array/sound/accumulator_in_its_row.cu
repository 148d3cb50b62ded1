// EXPECT: PASS: a thread of a matrix product adds to the columns that its accumulators have.
#include "harness/simt/tests/kernel_test.h"

__global__ void accumulator_in_its_row_kernel(float* out, const float* x, int columns) {
  float sums[2][4] = {};
  for (int column = 0; column < columns; ++column) sums[0][column] += x[threadIdx.x * 5 + column];
  for (int row = 0; row < 2; ++row) {
    for (int column = 0; column < columns; ++column) out[(threadIdx.x * 2 + row) * 4 + column] = sums[row][column];
  }
}

ASSAY_KERNEL_TEST(accumulator_in_its_row) {
  float* const out = output<float>("out", 256);
  const float* const x = input<float>("x", 160);
  launch_kernel(accumulator_in_its_row_kernel, {1, 32}, out, x, 4);
  return out[8 + 3] == x[5 + 3] && out[8 + 4] == 0 ? "" : "a sum is wrong";
}
