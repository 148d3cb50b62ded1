// EXPECT: RACE: the steps of a layernorm tree over sums and squares have no barrier between them.
#include "harness/simt/tests/kernel_test.h"

__global__ void moments_tree_without_barrier_kernel(float* out, const float* x) {
  __shared__ float sums[128], squares[128];
  const int t = threadIdx.x;
  const float mine = x[t];
  sums[t] = mine;
  squares[t] = mine * mine;
  __syncthreads();
  for (int stride = 64; stride > 0; stride >>= 1) {
    if (t < stride) {
      sums[t] += sums[t + stride];        // HERE
      squares[t] += squares[t + stride];  // HERE
    }
  }
  __syncthreads();
  if (t < 2) out[t] = t == 0 ? sums[0] : squares[0];
}

ASSAY_KERNEL_TEST(moments_tree_without_barrier) {
  launch_kernel(moments_tree_without_barrier_kernel, {1, 128}, output<float>("out", 2), input<float>("x", 128));
  return "";
}
