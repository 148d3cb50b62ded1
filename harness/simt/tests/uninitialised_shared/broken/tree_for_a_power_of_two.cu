// EXPECT: UNINITIALISED: a tree for 128 threads reads what the missing ones of a block of 96 would have written.
// SAYS: shared tile[96]
#include "harness/simt/tests/kernel_test.h"

__global__ void tree_for_a_power_of_two_kernel(float* out, const float* x) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  tile[t] = x[t];
  __syncthreads();
  for (int stride = 64; stride > 0; stride >>= 1) {
    if (t < stride) tile[t] += tile[t + stride];  // HERE
    __syncthreads();
  }
  if (t == 0) out[0] = tile[0];
}

ASSAY_KERNEL_TEST(tree_for_a_power_of_two) {
  launch_kernel(tree_for_a_power_of_two_kernel, {1, 96}, output<float>("out", 1), input<float>("x", 96));
  return "";
}
