// EXPECT: PASS: the first 16 lanes reduce with a mask that names no others.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void half_a_warp_names_itself_kernel(float* out, const float* x) {
  float sum = x[threadIdx.x];
  if (threadIdx.x < 16) {
    for (int offset = 8; offset > 0; offset >>= 1) sum += __shfl_down_sync(0x0000ffffu, sum, offset, 16);
  }
  __syncthreads();
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(half_a_warp_names_itself) {
  float* const out = output<float>("out", 32);
  const float* const x = input<float>("x", 32);
  launch_kernel(half_a_warp_names_itself_kernel, {1, 32}, out, x);
  float sum = 0;
  for (int i = 0; i < 16; ++i) sum += x[i];
  return out[0] == sum && out[31] == x[31] ? "" : "a sum is wrong";
}
