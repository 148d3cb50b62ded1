// EXPECT: PASS: threads leave an iteration with a barrier when the values of all have converged.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void loop_until_all_threads_are_done_kernel(int* out, const int* x) {
  int value = x[threadIdx.x], steps = 0;
  while (__syncthreads_or(value > 1)) {
    if (value <= 1) continue;
    value /= 2;
    ++steps;
  }
  __syncthreads();
  out[threadIdx.x] = steps;
}

ASSAY_KERNEL_TEST(loop_until_all_threads_are_done) {
  int* const out = output<int>("out", 64);
  launch_kernel(loop_until_all_threads_are_done_kernel, {1, 64}, out, input<int>("x", 64));
  return out[0] == 0 && out[1] == 2 && out[3] == 4 ? "" : "a count is wrong";
}
