// EXPECT: PASS: the last element has no next one.
#include "harness/simt/tests/kernel_test.h"

__global__ void neighbour_of_all_but_the_last_kernel(float* out, const float* in, int n) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i + 1 < n; i += blockDim.x) sum += in[i + 1] - in[i];
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(neighbour_of_all_but_the_last) {
  launch_kernel(neighbour_of_all_but_the_last_kernel, {1, 32}, output<float>("out", 32), input<float>("in", 128), 128);
  return "";
}
