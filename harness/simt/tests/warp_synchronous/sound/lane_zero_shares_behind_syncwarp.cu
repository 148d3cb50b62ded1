// EXPECT: PASS: the first lane of a warp leaves a value in global memory that its other lanes read behind a barrier of
// the warp.
#include "harness/simt/tests/kernel_test.h"

__global__ void lane_zero_shares_behind_syncwarp_kernel(float* out, float* scale, const float* x) {
  const int t = threadIdx.x, warp = t / 32;
  if (t % 32 == 0) scale[warp] = 1 / (1 + x[t]);
  __syncwarp();
  out[t] = x[t] * scale[warp];
}

ASSAY_KERNEL_TEST(lane_zero_shares_behind_syncwarp) {
  float* const out = output<float>("out", 64);
  const float* const x = input<float>("x", 64);
  launch_kernel(lane_zero_shares_behind_syncwarp_kernel, {1, 64}, out, output<float>("scale", 2), x);
  return out[1] == 7 && out[33] == x[33] * (1 / (1 + x[32])) ? "" : "a value is wrong";
}
