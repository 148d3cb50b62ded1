// EXPECT: OUT_OF_BOUNDS: the loop over a row ends with <= and reads one past the end of the input.
// SAYS: x[100]: read by thread (4,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void row_read_up_to_its_length_kernel(float* out, const float* x, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i <= n; i += 32) sum += x[i];  // HERE
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(row_read_up_to_its_length) {
  launch_kernel(row_read_up_to_its_length_kernel, {1, 32}, output<float>("out", 32), input<float>("x", 100), 100);
  return "";
}
