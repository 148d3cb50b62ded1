// EXPECT: PASS: the last warp of a tree reduction has a barrier of its own between a read and a write.
#include "harness/simt/tests/kernel_test.h"

__global__ void tree_with_syncwarp_in_the_last_warp_kernel(float* out, const float* x) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  tile[t] = x[t];
  __syncthreads();
  if (t >= 32) return;
  float sum = tile[t];
  for (int stride = 32; stride > 0; stride >>= 1) {
    if (t < stride) sum += tile[t + stride];
    __syncwarp();
    tile[t] = sum;
    __syncwarp();
  }
  if (t == 0) out[0] = tile[0];
}

ASSAY_KERNEL_TEST(tree_with_syncwarp_in_the_last_warp) {
  float* const out = output<float>("out", 1);
  const float* const x = input<float>("x", 64);
  launch_kernel(tree_with_syncwarp_in_the_last_warp_kernel, {1, 64}, out, x);
  float sum = 0;
  for (int i = 0; i < 64; ++i) sum += x[i];
  return out[0] == sum ? "" : "the sum is wrong";
}
