// EXPECT: PASS: the input never says where to stop.
#include "harness/simt/tests/kernel_test.h"

__global__ void row_goes_on_to_its_end_kernel(float* out, float* copy, const float* in, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    out[i] = in[i];
    if (in[i] == 31.0f) break;
  }
  __syncthreads();
  copy[threadIdx.x] = out[threadIdx.x + 32];
}

ASSAY_KERNEL_TEST(row_goes_on_to_its_end) {
  launch_kernel(row_goes_on_to_its_end_kernel, {1, 32}, output<float>("out", 64), output<float>("copy", 32),
                input<float>("in", 64), 64);
  return "";
}
