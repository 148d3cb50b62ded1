// EXPECT: BARRIER: a strided loop over a row with a barrier in it runs once more for the first threads.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void barrier_in_a_strided_loop_kernel(float* out, const float* x, int n) {
  __shared__ float tile[64];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 64) {
    tile[threadIdx.x] = x[i];
    __syncthreads();  // HERE
    sum += tile[threadIdx.x];
  }
  tile[threadIdx.x] = sum;
  __syncthreads();  // HERE
  out[threadIdx.x] = tile[threadIdx.x];
}

ASSAY_KERNEL_TEST(barrier_in_a_strided_loop) {
  launch_kernel(barrier_in_a_strided_loop_kernel, {1, 64}, output<float>("out", 64), input<float>("x", 100), 100);
  return "";
}
