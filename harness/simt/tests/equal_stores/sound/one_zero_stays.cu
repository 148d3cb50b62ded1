// EXPECT: PASS: every lane of a warp stores the same zero; the other zero is stored after a __syncwarp().
// DETECTOR: equal_stores
#include "harness/simt/tests/kernel_test.h"

__global__ void one_zero_stays_kernel(float* y) {
  __shared__ float maximum;
  maximum = -0.0f;
  __syncwarp();
  maximum = 0;
  __syncwarp();
  y[threadIdx.x] = maximum;
}

ASSAY_KERNEL_TEST(one_zero_stays) {
  float* const y = output<float>("y", 32);
  launch_kernel(one_zero_stays_kernel, {1, 32}, y);
  return y[3] == 0 ? "" : "no zero";
}
