// EXPECT: BARRIER: two branches of a warp reduce with masks that share lanes.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void masks_of_two_branches_overlap_kernel(float* out, const float* x) {
  float sum = x[threadIdx.x];
  if (threadIdx.x < 16) {
    sum += __shfl_xor_sync(0x0001ffffu, sum, 1);  // HERE
  } else {
    sum += __shfl_xor_sync(0xffff8000u, sum, 1);  // HERE
  }
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(masks_of_two_branches_overlap) {
  launch_kernel(masks_of_two_branches_overlap_kernel, {1, 32}, output<float>("out", 32), input<float>("x", 32));
  return "";
}
