// EXPECT: PASS: a top-k loop in registers reads as many candidates as the array has.
#include "harness/simt/tests/kernel_test.h"

__global__ void candidates_up_to_the_last_kernel(float* out, const float* x, int k) {
  float best[4];
  for (int i = 0; i < 4; ++i) best[i] = x[threadIdx.x + i];
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += best[i];
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(candidates_up_to_the_last) {
  float* const out = output<float>("out", 32);
  const float* const x = input<float>("x", 35);
  launch_kernel(candidates_up_to_the_last_kernel, {1, 32}, out, x, 4);
  return out[31] == x[31] + x[32] + x[33] + x[34] ? "" : "a sum is wrong";
}
