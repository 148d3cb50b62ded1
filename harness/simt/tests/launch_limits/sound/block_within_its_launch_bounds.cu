// EXPECT: PASS: a block has as many threads as the kernel declares as its limit.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void __launch_bounds__(256) block_within_its_launch_bounds_kernel(float* out) { out[threadIdx.x] = 1; }

ASSAY_KERNEL_TEST(block_within_its_launch_bounds) {
  launch_kernel(block_within_its_launch_bounds_kernel, {1, 256}, output<float>("out", 256));
  return "";
}
