// EXPECT: CRASH: a block has more threads than the kernel declares as its limit.
#include "harness/simt/checked/tests/checked_kernel.h"

__global__ void __launch_bounds__(128) block_over_its_launch_bounds_kernel(float* out) { out[threadIdx.x] = 1; }

ASSAY_KERNEL_TEST(block_over_its_launch_bounds) {
  launch_kernel(block_over_its_launch_bounds_kernel, {1, 256}, output<float>("out", 256));
  return "";
}
