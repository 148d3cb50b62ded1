// TOTAL: active_lanes=1 barriers=9 barriers_per_block=3 blocks=3
// A block of 40 threads has a warp of 8 lanes, and all of them work.
#include "harness/simt/tests/kernel_test.h"

__global__ void part_of_a_warp_kernel(float* out, const float* in) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int round = 0; round < 3; ++round) __syncthreads();  // LINE: barriers=9
  out[i] = in[i];
}

ASSAY_KERNEL_TEST(part_of_a_warp) {
  launch_kernel(part_of_a_warp_kernel, {3, 40}, output<float>("out", 120), input<float>("in", 120));
  return "";
}
