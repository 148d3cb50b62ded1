// EXPECT: UNINITIALISED: a loop leaves out every second element, and others read them.
#include "harness/simt/tests/kernel_test.h"

__global__ void skipped_elements_are_read_kernel(float* out, float* copy, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    if ((i & 1) != 0) continue;
    out[i] = 1.0f;
  }
  __syncthreads();
  copy[threadIdx.x] = out[threadIdx.x + 1];  // HERE
}

ASSAY_KERNEL_TEST(skipped_elements_are_read) {
  launch_kernel(skipped_elements_are_read_kernel, {1, 63}, output<float>("out", 64), output<float>("copy", 63), 64);
  return "";
}
