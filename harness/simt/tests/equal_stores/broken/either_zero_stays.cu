// EXPECT: HINT: the lanes of a warp store the maximum that each has taken in an order of its own, which is 0 or -0.
// DETECTOR: equal_stores
// SAYS: lanes 0 and 1 of warp 0 store equal numbers of different bits (0, -0) in this one instruction
#include "harness/simt/tests/kernel_test.h"

__global__ void either_zero_stays_kernel(float* y) {
  __shared__ float maximum, nothing;
  maximum = __uint_as_float(threadIdx.x % 2 << 31);                // HERE
  nothing = __uint_as_float(0x7fc00000u + threadIdx.x);            // HERE
  if (threadIdx.x < 2) y[0] = __uint_as_float(threadIdx.x << 31);  // HERE
  __syncthreads();
  if (threadIdx.x == 0) y[1] = maximum + nothing;
}

ASSAY_KERNEL_TEST(either_zero_stays) {
  launch_kernel(either_zero_stays_kernel, {1, 32}, output<float>("y", 2));
  return "";
}
