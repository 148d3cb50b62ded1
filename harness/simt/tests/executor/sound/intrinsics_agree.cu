// EXPECT: PASS: threads that call one intrinsic with one argument have one result, whatever the schedule.
#include "harness/simt/tests/kernel_test.h"

__global__ void intrinsics_agree_kernel(float* y) {
  const float x = 0.37f * static_cast<float>(blockIdx.x + 1);
  y[blockIdx.x * blockDim.x + threadIdx.x] = __expf(x) + __sinf(x) * __fdividef(x, 3.0f) + rsqrtf(x) + __powf(x, x);
}

ASSAY_KERNEL_TEST(intrinsics_agree) {
  float* const y = output<float>("y", 4 * 40);
  launch_kernel(intrinsics_agree_kernel, {4, 40}, y);
  for (int i = 0; i < 4 * 40; ++i)
    if (y[i] != y[i / 40 * 40]) return "threads of a block differ";
  const double x = 0.37, right = exp(x) + sin(x) * x / 3 + 1 / sqrt(x) + pow(x, x);
  return fabs(y[0] - right) < 1e-5 ? "" : "wrong";
}
