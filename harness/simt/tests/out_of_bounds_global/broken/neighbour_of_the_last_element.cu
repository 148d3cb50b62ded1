// EXPECT: OUT_OF_BOUNDS: each element is compared with the next, and so is the last.
#include "harness/simt/tests/kernel_test.h"

__global__ void neighbour_of_the_last_element_kernel(float* out, const float* in, int n) {
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i + 1] - in[i];  // HERE
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(neighbour_of_the_last_element) {
  launch_kernel(neighbour_of_the_last_element_kernel, {1, 32}, output<float>("out", 32), input<float>("in", 128), 128);
  return "";
}
