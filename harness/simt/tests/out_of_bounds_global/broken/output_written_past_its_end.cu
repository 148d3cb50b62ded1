// EXPECT: OUT_OF_BOUNDS: the grid covers more than the output, and only the read asks for the size.
// SAYS: out[1000]: write by thread (104,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void output_written_past_its_end_kernel(float* out, const float* in, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  out[i] = i < n ? 2 * in[i] : 0;  // HERE
}

ASSAY_KERNEL_TEST(output_written_past_its_end) {
  launch_kernel(output_written_past_its_end_kernel, {8, 128}, output<float>("out", 1000), input<float>("in", 1000),
                1000);
  return "";
}
