// EXPECT: PASS: a kernel adds to a buffer that starts with values, and to an output that it wrote.
#include "harness/simt/tests/kernel_test.h"

__global__ void adds_to_a_sum_kernel(float* sum, float* out, const float* in) {
  sum[threadIdx.x] += in[threadIdx.x];
  out[threadIdx.x] = 1.0f;
  out[threadIdx.x] += in[threadIdx.x];
}

ASSAY_KERNEL_TEST(adds_to_a_sum) {
  launch_kernel(adds_to_a_sum_kernel, {1, 32}, accumulated<float>("sum", 32), output<float>("out", 32),
                input<float>("in", 32));
  return "";
}
