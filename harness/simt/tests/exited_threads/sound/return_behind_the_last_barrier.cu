// EXPECT: PASS: threads out of range come to every barrier, and return behind the last one.
// DETECTOR: exited_threads
#include "harness/simt/tests/kernel_test.h"

__global__ void return_behind_the_last_barrier_kernel(float* y, int n) {
  __shared__ float tile[64];
  if (threadIdx.x < n) tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x >= n) return;
  y[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

ASSAY_KERNEL_TEST(return_behind_the_last_barrier) {
  float* const y = output<float>("y", 50);
  launch_kernel(return_behind_the_last_barrier_kernel, {1, 64}, y, 50);
  return y[0] == 49 && y[49] == 0 ? "" : "a value is wrong";
}
