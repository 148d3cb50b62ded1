// EXPECT: PASS: a causal convolution leaves the steps before the first out.
#include "harness/simt/tests/kernel_test.h"

__global__ void convolution_starts_at_the_first_kernel(float* out, const float* x, const float* weight) {
  const int t = threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 4 && k <= t; ++k) sum += weight[k] * x[t - k];
  out[t] = sum;
}

ASSAY_KERNEL_TEST(convolution_starts_at_the_first) {
  float* const out = output<float>("out", 64);
  const float *const x = input<float>("x", 64), *const weight = input<float>("weight", 4);
  launch_kernel(convolution_starts_at_the_first_kernel, {1, 64}, out, x, weight);
  return out[0] == 0 && out[1] == 0 && out[2] == weight[1] * x[1] ? "" : "a sum is wrong";
}
