// EXPECT: RACE: a softmax row maximum starts its tree before the whole row is in shared memory.
#include "harness/simt/tests/kernel_test.h"

__global__ void softmax_max_before_barrier_kernel(float* out, const float* x) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  tile[t] = x[blockIdx.x * 128 + t];  // HERE
  for (int stride = 64; stride > 0; stride >>= 1) {
    if (t < stride) tile[t] = fmaxf(tile[t], tile[t + stride]);  // HERE
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}

ASSAY_KERNEL_TEST(softmax_max_before_barrier) {
  launch_kernel(softmax_max_before_barrier_kernel, {2, 128}, output<float>("out", 2), input<float>("x", 256));
  return "";
}
