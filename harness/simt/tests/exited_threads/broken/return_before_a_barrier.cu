// EXPECT: BARRIER: threads out of range return, the others meet at a barrier.
// DETECTOR: exited_threads
// SAYS: has returned without coming here
#include "harness/simt/tests/kernel_test.h"

__global__ void return_before_a_barrier_kernel(float* y, int n) {
  __shared__ float tile[64];
  if (threadIdx.x >= n) return;
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();  // HERE
  y[threadIdx.x] = tile[n - 1 - threadIdx.x];
}

ASSAY_KERNEL_TEST(return_before_a_barrier) {
  launch_kernel(return_before_a_barrier_kernel, {1, 64}, output<float>("y", 50), 50);
  return "";
}
