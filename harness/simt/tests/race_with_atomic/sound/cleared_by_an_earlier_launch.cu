// EXPECT: PASS: a sum is cleared by one launch, and the blocks of the next add to it.
#include "harness/simt/tests/kernel_test.h"

__global__ void cleared_by_an_earlier_launch_clear_kernel(float* total) {
  if (threadIdx.x == 0) *total = 0;
}
__global__ void cleared_by_an_earlier_launch_kernel(float* total, const float* x) {
  if (threadIdx.x == 0) atomicAdd(total, x[blockIdx.x]);
}

ASSAY_KERNEL_TEST(cleared_by_an_earlier_launch) {
  float* const total = output<float>("total", 1);
  launch_kernel(cleared_by_an_earlier_launch_clear_kernel, {1, 32}, total);
  launch_kernel(cleared_by_an_earlier_launch_kernel, {4, 32}, total, input<float>("x", 4));
  return *total == 0 + 7 + 14 + 21 ? "" : "the sum is wrong";
}
