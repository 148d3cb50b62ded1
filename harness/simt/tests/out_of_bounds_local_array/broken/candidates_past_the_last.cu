// EXPECT: OUT_OF_BOUNDS: a top-k loop in registers reads one candidate more than the array has.
// SAYS: index 4 of 'float
#include "harness/simt/tests/kernel_test.h"

__global__ void candidates_past_the_last_kernel(float* out, const float* x, int k) {
  float best[4];
  for (int i = 0; i < 4; ++i) best[i] = x[threadIdx.x + i];
  float sum = 0;
  for (int i = 0; i <= k; ++i) sum += best[i];  // HERE
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(candidates_past_the_last) {
  launch_kernel(candidates_past_the_last_kernel, {1, 32}, output<float>("out", 32), input<float>("x", 35), 4);
  return "";
}
