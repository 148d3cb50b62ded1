// EXPECT: PASS: a grid has one block for each row in x, which may have more than 65535.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void rows_in_the_first_dimension_kernel(int* out) {
  if (threadIdx.x == 0) out[blockIdx.x] = blockIdx.x;
}

ASSAY_KERNEL_TEST(rows_in_the_first_dimension) {
  int* const out = output<int>("out", 65536);
  launch_kernel(rows_in_the_first_dimension_kernel, {65536, 1}, out);
  return out[65535] == 65535 ? "" : "a value is wrong";
}
