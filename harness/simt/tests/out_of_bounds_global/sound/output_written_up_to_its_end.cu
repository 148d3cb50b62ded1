// EXPECT: PASS: the grid covers more than the output, and both the read and the write ask for the size.
#include "harness/simt/tests/kernel_test.h"

__global__ void output_written_up_to_its_end_kernel(float* out, const float* in, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

ASSAY_KERNEL_TEST(output_written_up_to_its_end) {
  float* const out = output<float>("out", 1000);
  const float* const in = input<float>("in", 1000);
  launch_kernel(output_written_up_to_its_end_kernel, {8, 128}, out, in, 1000);
  return out[999] == 2 * in[999] ? "" : "a value is wrong";
}
