// EXPECT: PASS: a loop over the tiles of a row with barriers in it runs equally often for all threads.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void barrier_in_a_loop_over_tiles_kernel(float* out, const float* x, int n) {
  __shared__ float tile[64];
  float sum = 0;
  for (int first = 0; first < n; first += 64) {
    const int i = first + threadIdx.x;
    tile[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    sum += tile[63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(barrier_in_a_loop_over_tiles) {
  float* const out = output<float>("out", 64);
  const float* const x = input<float>("x", 100);
  launch_kernel(barrier_in_a_loop_over_tiles_kernel, {1, 64}, out, x, 100);
  return out[63] == x[0] + x[64] && out[0] == x[63] ? "" : "a sum is wrong";
}
