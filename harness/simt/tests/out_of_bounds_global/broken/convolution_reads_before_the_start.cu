// EXPECT: OUT_OF_BOUNDS: a causal convolution reads the steps before the first.
// SAYS: x[-1]: read by thread (
#include "harness/simt/tests/kernel_test.h"

__global__ void convolution_reads_before_the_start_kernel(float* out, const float* x, const float* weight) {
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum += weight[k] * x[static_cast<int>(threadIdx.x) - k];  // HERE
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(convolution_reads_before_the_start) {
  launch_kernel(convolution_reads_before_the_start_kernel, {1, 64}, output<float>("out", 64), input<float>("x", 64),
                input<float>("weight", 4));
  return "";
}
