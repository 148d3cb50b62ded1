// EXPECT: PASS: two branches of a warp reduce with masks that share no lane.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void masks_of_two_branches_are_apart_kernel(float* out, const float* x) {
  float sum = x[threadIdx.x];
  if (threadIdx.x < 16) {
    sum += __shfl_xor_sync(0x0000ffffu, sum, 1);
  } else {
    sum += __shfl_xor_sync(0xffff0000u, sum, 2);
  }
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(masks_of_two_branches_are_apart) {
  float* const out = output<float>("out", 32);
  const float* const x = input<float>("x", 32);
  launch_kernel(masks_of_two_branches_are_apart_kernel, {1, 32}, out, x);
  return out[0] == x[0] + x[1] && out[31] == x[31] + x[29] ? "" : "a sum is wrong";
}
