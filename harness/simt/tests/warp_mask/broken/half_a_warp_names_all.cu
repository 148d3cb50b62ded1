// EXPECT: BARRIER: the first 16 lanes reduce with a mask that names lanes which are at a barrier.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void half_a_warp_names_all_kernel(float* out, const float* x) {
  float sum = x[threadIdx.x];
  if (threadIdx.x < 16) {
    for (int offset = 8; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, offset);  // HERE
  }
  __syncthreads();  // HERE
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(half_a_warp_names_all) {
  launch_kernel(half_a_warp_names_all_kernel, {1, 32}, output<float>("out", 32), input<float>("x", 32));
  return "";
}
