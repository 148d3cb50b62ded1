// EXPECT: BARRIER: threads leave an iteration with a barrier as soon as their own value has converged.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void loop_until_each_thread_is_done_kernel(int* out, const int* x) {
  int value = x[threadIdx.x], steps = 0;
  while (value > 1) {
    value /= 2;
    ++steps;
    __syncthreads();  // HERE
  }
  __syncthreads();  // HERE
  out[threadIdx.x] = steps;
}

ASSAY_KERNEL_TEST(loop_until_each_thread_is_done) {
  launch_kernel(loop_until_each_thread_is_done_kernel, {1, 64}, output<int>("out", 64), input<int>("x", 64));
  return "";
}
