// EXPECT: OUT_OF_BOUNDS: the last thread reads one element past the end, in an odd place of a page.
// SAYS: in[1001]: read by thread
// SAYS: but the buffer has 1001 elements
#include "harness/simt/tests/kernel_test.h"

__global__ void reads_past_the_end_kernel(float* out, const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i + 1] - in[i];  // HERE
}

ASSAY_KERNEL_TEST(reads_past_the_end) {
  launch_kernel(reads_past_the_end_kernel, {8, 128}, output<float>("out", 1001), input<float>("in", 1001), 1001);
  return "";
}
