// EXPECT: PASS: threads return early; those that stay go on meeting at barriers, which the others never reach again.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void shrinking(int* out) {
  __shared__ int data[256];
  const int t = threadIdx.x;
  data[t] = t;
  __syncthreads();
  for (int alive = 128; alive > 0; alive /= 2) {
    if (t >= alive) return;
    data[t] += data[t + alive];
    __syncthreads();
  }
  *out = data[0];
}

ASSAY_KERNEL_TEST(before_the_last_barrier) {
  int sum = 0;
  launch_kernel(shrinking, {1, 256}, &sum);
  return sum == 255 * 128 ? "" : "the sum is wrong";
}
