// EXPECT: RACE: the first lane of a warp leaves a value in global memory that its other lanes read at once.
// SAYS: scale[
#include "harness/simt/tests/kernel_test.h"

__global__ void lane_zero_shares_through_global_kernel(float* out, float* scale, const float* x) {
  const int t = threadIdx.x, warp = t / 32;
  if (t % 32 == 0) scale[warp] = 1 / (1 + x[t]);  // HERE
  out[t] = x[t] * scale[warp];                    // HERE
}

ASSAY_KERNEL_TEST(lane_zero_shares_through_global) {
  launch_kernel(lane_zero_shares_through_global_kernel, {1, 64}, output<float>("out", 64), output<float>("scale", 2),
                input<float>("x", 64));
  return "";
}
