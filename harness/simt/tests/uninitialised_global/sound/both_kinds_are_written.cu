// EXPECT: PASS: each element is written by one of two branches.
#include "harness/simt/tests/kernel_test.h"

__global__ void both_kinds_are_written_kernel(float* out, float* copy, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    if ((i & 1) != 0) out[i] = 2.0f;
    if ((i & 1) == 0) out[i] = 1.0f;
  }
  __syncthreads();
  copy[threadIdx.x] = out[threadIdx.x + 1];
}

ASSAY_KERNEL_TEST(both_kinds_are_written) {
  launch_kernel(both_kinds_are_written_kernel, {1, 63}, output<float>("out", 64), output<float>("copy", 63), 64);
  return "";
}
