// EXPECT: PASS: a tree for 128 threads leaves out the missing ones of a block of 96.
#include "harness/simt/tests/kernel_test.h"

__global__ void tree_for_any_block_kernel(float* out, const float* x) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  tile[t] = x[t];
  __syncthreads();
  for (int stride = 64; stride > 0; stride >>= 1) {
    if (t < stride && t + stride < blockDim.x) tile[t] += tile[t + stride];
    __syncthreads();
  }
  if (t == 0) out[0] = tile[0];
}

ASSAY_KERNEL_TEST(tree_for_any_block) {
  float* const out = output<float>("out", 1);
  const float* const x = input<float>("x", 96);
  launch_kernel(tree_for_any_block_kernel, {1, 96}, out, x);
  float sum = 0;
  for (int i = 0; i < 96; ++i) sum += x[i];
  return out[0] == sum ? "" : "the sum is wrong";
}
