// TOTAL: active_lanes=0.5 sectors_per_request=4 ideal_sectors_per_request=2
// Only even lanes work.
#include "harness/simt/tests/kernel_test.h"

__global__ void half_the_lanes_kernel(float* out, const float* in) {
  if (threadIdx.x % 2 == 0) out[threadIdx.x] = in[threadIdx.x];  // LINE: active_lanes=0.5
}

ASSAY_KERNEL_TEST(half_the_lanes) {
  launch_kernel(half_the_lanes_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
