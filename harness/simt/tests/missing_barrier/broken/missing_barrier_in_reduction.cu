// EXPECT: RACE: a tree reduction without the barrier between its steps.
// SAYS: after
// SAYS: an atomic, or an element of its own for each thread, usually fixes it, or a barrier in each round of its loop
#include "harness/simt/tests/kernel_test.h"

__global__ void missing_barrier_in_reduction_kernel(float* out, const float* in) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int stride = 64; stride > 0; stride >>= 1) {
    if (t < stride) tile[t] += tile[t + stride];  // HERE
  }
  __syncthreads();
  if (t == 0) out[blockIdx.x] = tile[0];
}

ASSAY_KERNEL_TEST(missing_barrier_in_reduction) {
  launch_kernel(missing_barrier_in_reduction_kernel, {4, 128}, output<float>("out", 4), input<float>("in", 512));
  return "";
}
