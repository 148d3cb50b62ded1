// EXPECT: PASS: every step of a layernorm tree over sums and squares ends with a barrier.
#include "harness/simt/tests/kernel_test.h"

__global__ void moments_tree_with_barrier_kernel(float* out, const float* x) {
  __shared__ float sums[128], squares[128];
  const int t = threadIdx.x;
  const float mine = x[t];
  sums[t] = mine;
  squares[t] = mine * mine;
  __syncthreads();
  for (int stride = 64; stride > 0; stride >>= 1) {
    if (t < stride) {
      sums[t] += sums[t + stride];
      squares[t] += squares[t + stride];
    }
    __syncthreads();
  }
  if (t < 2) out[t] = t == 0 ? sums[0] : squares[0];
}

ASSAY_KERNEL_TEST(moments_tree_with_barrier) {
  float* const out = output<float>("out", 2);
  const float* const x = input<float>("x", 128);
  launch_kernel(moments_tree_with_barrier_kernel, {1, 128}, out, x);
  float sum = 0, square = 0;
  for (int i = 0; i < 128; ++i) sum += x[i], square += x[i] * x[i];
  return out[0] == sum && out[1] == square ? "" : "a moment is wrong";
}
