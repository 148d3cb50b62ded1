// EXPECT: UNINITIALISED: a row is written up to its length, and read up to its pitch.
#include "harness/simt/tests/kernel_test.h"

__global__ void row_tail_is_read_kernel(float* out, float* copy, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = 1.0f;
  __syncthreads();
  copy[threadIdx.x] = out[threadIdx.x + 64];  // HERE
}

ASSAY_KERNEL_TEST(row_tail_is_read) {
  launch_kernel(row_tail_is_read_kernel, {1, 64}, output<float>("out", 128), output<float>("copy", 64), 100);
  return "";
}
