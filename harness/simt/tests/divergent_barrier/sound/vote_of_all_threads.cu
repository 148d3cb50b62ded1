// EXPECT: PASS: threads without a finite value take part in the vote of the block too.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void vote_of_all_threads_kernel(int* out, const float* x) {
  const float mine = x[threadIdx.x];
  const int count = __syncthreads_count(mine < 25 && mine > 5);
  __syncthreads();
  out[threadIdx.x] = count;
}

ASSAY_KERNEL_TEST(vote_of_all_threads) {
  int* const out = output<int>("out", 64);
  const float* const x = input<float>("x", 64);
  launch_kernel(vote_of_all_threads_kernel, {1, 64}, out, x);
  int expected = 0;
  for (int i = 0; i < 64; ++i) expected += x[i] < 25 && x[i] > 5;
  return out[0] == expected && out[63] == expected ? "" : "a count is wrong";
}
