// EXPECT: CRASH: a grid has one block for each row in y, which has at most 65535.
// SAYS: 65535
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void rows_in_the_second_dimension_kernel(int* out) {
  if (threadIdx.x == 0) out[blockIdx.y] = blockIdx.y;
}

ASSAY_KERNEL_TEST(rows_in_the_second_dimension) {
  launch_kernel(rows_in_the_second_dimension_kernel, {dim3(1, 65536), 1}, output<int>("out", 65536));
  return "";
}
