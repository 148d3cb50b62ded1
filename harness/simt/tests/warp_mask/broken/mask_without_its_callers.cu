// EXPECT: BARRIER: lanes past the end of a row shuffle with a mask that leaves them out.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void mask_without_its_callers_kernel(float* out, const float* x, int n) {
  const unsigned mask = __ballot_sync(0xffffffffu, threadIdx.x < n);
  const float mine = threadIdx.x < n ? x[threadIdx.x] : 0;
  out[threadIdx.x] = __shfl_xor_sync(mask, mine, 1);  // HERE
}

ASSAY_KERNEL_TEST(mask_without_its_callers) {
  launch_kernel(mask_without_its_callers_kernel, {1, 32}, output<float>("out", 32), input<float>("x", 20), 20);
  return "";
}
