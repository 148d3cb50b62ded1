// EXPECT: PASS: two barriers for each round, one before the result is read and one after.
#include "harness/simt/tests/kernel_test.h"

__global__ void rounds_with_two_barriers_kernel(float* out, const float* in) {
  __shared__ float result;
  float sum = 0;
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x == 5) result = in[round];
    __syncthreads();
    sum += result;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(rounds_with_two_barriers) {
  float* const out = output<float>("out", 64);
  launch_kernel(rounds_with_two_barriers_kernel, {1, 64}, out, input<float>("in", 3));
  return out[63] == 0 + 7 + 14 ? "" : "a sum is wrong";
}
