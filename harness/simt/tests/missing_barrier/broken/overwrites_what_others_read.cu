// EXPECT: RACE: the first thread starts the next round while others still read the result of this one.
// SAYS: shared result
// SAYS: after read by
#include "harness/simt/tests/kernel_test.h"

__global__ void overwrites_what_others_read_kernel(float* out, const float* in) {
  __shared__ float result;
  float sum = 0;
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x == 5) result = in[round];  // HERE
    __syncthreads();
    sum += result;  // HERE
  }
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(overwrites_what_others_read) {
  launch_kernel(overwrites_what_others_read_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 3));
  return "";
}
