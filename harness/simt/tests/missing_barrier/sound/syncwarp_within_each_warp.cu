// EXPECT: PASS: a barrier of the warp stands where threads of the same warp are read.
#include "harness/simt/tests/kernel_test.h"

__global__ void syncwarp_within_each_warp_kernel(float* out, const float* in) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncwarp();
  out[t] = tile[t ^ 31];
}

ASSAY_KERNEL_TEST(syncwarp_within_each_warp) {
  float* const out = output<float>("out", 128);
  const float* const in = input<float>("in", 128);
  launch_kernel(syncwarp_within_each_warp_kernel, {1, 128}, out, in);
  for (int i = 0; i < 128; ++i)
    if (out[i] != in[i ^ 31]) return "a value is wrong";
  return "";
}
