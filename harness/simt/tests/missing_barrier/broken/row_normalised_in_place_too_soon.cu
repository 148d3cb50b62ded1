// EXPECT: RACE: a row is overwritten by its scaled values while other threads still add up the row.
#include "harness/simt/tests/kernel_test.h"

__global__ void row_normalised_in_place_too_soon_kernel(float* data) {
  float* const row = data + blockIdx.x * 32;
  float sum = 0;
  for (int i = 0; i < 32; ++i) sum += row[i];       // HERE
  row[threadIdx.x] = row[threadIdx.x] / (1 + sum);  // HERE
}

ASSAY_KERNEL_TEST(row_normalised_in_place_too_soon) {
  launch_kernel(row_normalised_in_place_too_soon_kernel, {2, 32}, accumulated<float>("data", 64));
  return "";
}
