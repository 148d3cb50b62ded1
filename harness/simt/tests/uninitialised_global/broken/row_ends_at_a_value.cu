// EXPECT: UNINITIALISED: threads stop writing where the input says so, and others read on.
#include "harness/simt/tests/kernel_test.h"

__global__ void row_ends_at_a_value_kernel(float* out, float* copy, const float* in, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    out[i] = in[i];
    if (in[i] == 30.0f) break;
  }
  __syncthreads();
  copy[threadIdx.x] = out[threadIdx.x + 32];  // HERE
}

ASSAY_KERNEL_TEST(row_ends_at_a_value) {
  launch_kernel(row_ends_at_a_value_kernel, {1, 32}, output<float>("out", 64), output<float>("copy", 32),
                input<float>("in", 64), 64);
  return "";
}
