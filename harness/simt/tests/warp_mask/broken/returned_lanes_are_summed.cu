// EXPECT: BARRIER: lanes past the end of a row return, and the reduction reads them.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void returned_lanes_are_summed_kernel(float* out, const float* x, int n) {
  if (threadIdx.x >= n) return;
  float sum = x[threadIdx.x];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, offset);  // HERE
  if (threadIdx.x == 0) out[0] = sum;
}

ASSAY_KERNEL_TEST(returned_lanes_are_summed) {
  launch_kernel(returned_lanes_are_summed_kernel, {1, 32}, output<float>("out", 1), input<float>("x", 20), 20);
  return "";
}
