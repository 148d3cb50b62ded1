// EXPECT: PASS: lanes past the end of a row stay with a zero, and the reduction reads them.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void idle_lanes_are_summed_kernel(float* out, const float* x, int n) {
  float sum = threadIdx.x < n ? x[threadIdx.x] : 0;
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x == 0) out[0] = sum;
}

ASSAY_KERNEL_TEST(idle_lanes_are_summed) {
  float* const out = output<float>("out", 1);
  const float* const x = input<float>("x", 20);
  launch_kernel(idle_lanes_are_summed_kernel, {1, 32}, out, x, 20);
  float sum = 0;
  for (int i = 0; i < 20; ++i) sum += x[i];
  return out[0] == sum ? "" : "the sum is wrong";
}
