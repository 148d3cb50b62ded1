// EXPECT: HINT: every warp leaves its sum in shared memory, where only rows longer than this one would need it.
// DETECTOR: dead_shared_writes
#include "harness/simt/tests/kernel_test.h"

__global__ void sum_left_behind_kernel(float* out, const float* x, int n) {
  __shared__ float sums[2];
  const int t = threadIdx.x;
  float sum = x[t];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (t % 32 == 0) sums[t / 32] = sum;  // HERE
  __syncthreads();
  out[t] = n > 32 ? sums[0] + sums[1] : sum;
}

ASSAY_KERNEL_TEST(sum_left_behind) {
  launch_kernel(sum_left_behind_kernel, {1, 64}, output<float>("out", 64), input<float>("x", 64), 32);
  return "";
}
