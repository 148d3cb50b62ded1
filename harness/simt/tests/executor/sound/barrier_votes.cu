// EXPECT: PASS: barriers that count, and votes in a row do not mix.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void votes(int* errors) {
  for (int round = 0; round < 5; ++round) {
    const int count = __syncthreads_count(threadIdx.x % (round + 1) == 0);
    const int all = __syncthreads_and(static_cast<int>(threadIdx.x) >= round),
              any = __syncthreads_or(threadIdx.x == 99 + round);
    if (count != (100 + round) / (round + 1) || all != (round == 0) || any != (round == 0)) atomicAdd(errors, 1);
  }
}

ASSAY_KERNEL_TEST(barrier_votes) {
  int errors = 0;
  launch_kernel(votes, {2, 100}, &errors);
  return errors == 0 ? "" : "a vote is wrong";
}
