// EXPECT: PASS: lanes past the end of a row leave the shuffle, whose mask leaves them out.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void mask_with_its_callers_kernel(float* out, const float* x, int n) {
  const unsigned mask = __ballot_sync(0xffffffffu, threadIdx.x < n);
  out[threadIdx.x] = 0;
  if (threadIdx.x < n) out[threadIdx.x] = __shfl_xor_sync(mask, x[threadIdx.x], 1);
}

ASSAY_KERNEL_TEST(mask_with_its_callers) {
  float* const out = output<float>("out", 32);
  const float* const x = input<float>("x", 20);
  launch_kernel(mask_with_its_callers_kernel, {1, 32}, out, x, 20);
  return out[0] == x[1] && out[19] == x[18] && out[20] == 0 ? "" : "a value is wrong";
}
