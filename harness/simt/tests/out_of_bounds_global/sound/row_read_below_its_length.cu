// EXPECT: PASS: the loop over a row ends with < and reads all of the input.
#include "harness/simt/tests/kernel_test.h"

__global__ void row_read_below_its_length_kernel(float* out, const float* x, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 32) sum += x[i];
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(row_read_below_its_length) {
  float* const out = output<float>("out", 32);
  const float* const x = input<float>("x", 100);
  launch_kernel(row_read_below_its_length_kernel, {1, 32}, out, x, 100);
  return out[3] == x[3] + x[35] + x[67] + x[99] && out[4] == x[4] + x[36] + x[68] ? "" : "a sum is wrong";
}
