// EXPECT: RACE: the last warp of a tree reduction goes on through volatile shared memory alone.
// SAYS: shared tile[
#include "harness/simt/tests/kernel_test.h"

__global__ void tree_without_syncwarp_in_the_last_warp_kernel(float* out, const float* x) {
  __shared__ float tile[64];
  volatile float* const row = tile;
  const int t = threadIdx.x;
  tile[t] = x[t];
  __syncthreads();
  if (t >= 32) return;
  for (int stride = 32; stride > 0; stride >>= 1) row[t] = row[t] + (t < stride ? row[t + stride] : 0.0f);  // HERE
  if (t == 0) out[0] = tile[0];
}

ASSAY_KERNEL_TEST(tree_without_syncwarp_in_the_last_warp) {
  launch_kernel(tree_without_syncwarp_in_the_last_warp_kernel, {1, 64}, output<float>("out", 1), input<float>("x", 64));
  return "";
}
