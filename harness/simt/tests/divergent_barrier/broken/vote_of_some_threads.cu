// EXPECT: BARRIER: only threads with a finite value take part in the vote of the block.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void vote_of_some_threads_kernel(int* out, const float* x) {
  int count = 0;
  if (x[threadIdx.x] < 25) count = __syncthreads_count(x[threadIdx.x] > 5);  // HERE
  __syncthreads();                                                           // HERE
  out[threadIdx.x] = count;
}

ASSAY_KERNEL_TEST(vote_of_some_threads) {
  launch_kernel(vote_of_some_threads_kernel, {1, 64}, output<int>("out", 64), input<float>("x", 64));
  return "";
}
