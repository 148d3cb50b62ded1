// EXPECT: RACE: two rows of threads write one row of the output.
#include "harness/simt/tests/kernel_test.h"

__global__ void both_rows_of_a_block_write_one_kernel(float* out) {
  out[threadIdx.x] = static_cast<float>(threadIdx.y);  // HERE
}

ASSAY_KERNEL_TEST(both_rows_of_a_block_write_one) {
  launch_kernel(both_rows_of_a_block_write_one_kernel, {1, dim3(32, 2)}, output<float>("out", 64));
  return "";
}
