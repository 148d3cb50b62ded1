// EXPECT: RACE: a barrier of the warp stands where threads of other warps are read.
#include "harness/simt/tests/kernel_test.h"

__global__ void syncwarp_for_the_whole_block_kernel(float* out, const float* in) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  tile[t] = in[t];  // HERE
  __syncwarp();
  out[t] = tile[127 - t];  // HERE
}

ASSAY_KERNEL_TEST(syncwarp_for_the_whole_block) {
  launch_kernel(syncwarp_for_the_whole_block_kernel, {1, 128}, output<float>("out", 128), input<float>("in", 128));
  return "";
}
