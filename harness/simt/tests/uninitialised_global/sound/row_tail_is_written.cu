// EXPECT: PASS: the row that others read is written to its end.
#include "harness/simt/tests/kernel_test.h"

__global__ void row_tail_is_written_kernel(float* out, float* copy, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = 1.0f;
  __syncthreads();
  copy[threadIdx.x] = out[threadIdx.x + 64];
}

ASSAY_KERNEL_TEST(row_tail_is_written) {
  launch_kernel(row_tail_is_written_kernel, {1, 64}, output<float>("out", 128), output<float>("copy", 64), 128);
  return "";
}
