// EXPECT: PASS: nobody reads past the end.
#include "harness/simt/tests/kernel_test.h"

__global__ void reads_up_to_the_end_kernel(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (i + 1 < n ? in[i + 1] : 0.0f) - in[i];
}

ASSAY_KERNEL_TEST(reads_up_to_the_end) {
  launch_kernel(reads_up_to_the_end_kernel, {8, 128}, output<float>("out", 1001), input<float>("in", 1001), 1001);
  return "";
}
