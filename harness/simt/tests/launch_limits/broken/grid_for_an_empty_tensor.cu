// EXPECT: CRASH: an empty tensor is launched with no block.
// SAYS: no dimension may be 0
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void grid_for_an_empty_tensor_kernel(float* out, int n) {
  if (blockIdx.x * 64 + threadIdx.x < n) out[blockIdx.x * 64 + threadIdx.x] = 1;
}

ASSAY_KERNEL_TEST(grid_for_an_empty_tensor) {
  const int n = 0;
  launch_kernel(grid_for_an_empty_tensor_kernel, {(n + 63) / 64, 64}, output<float>("out", 1), n);
  return "";
}
