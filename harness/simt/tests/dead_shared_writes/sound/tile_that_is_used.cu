// EXPECT: PASS: a tile is staged and all of it is used, by other threads than those that wrote it.
// DETECTOR: dead_shared_writes
#include "harness/simt/tests/kernel_test.h"

__global__ void tile_that_is_used_kernel(float* out, const float* x) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  tile[t] = x[64 * blockIdx.x + t];
  __syncthreads();
  out[64 * blockIdx.x + t] = tile[63 - t];
}

ASSAY_KERNEL_TEST(tile_that_is_used) {
  launch_kernel(tile_that_is_used_kernel, {2, 64}, output<float>("out", 128), input<float>("x", 128));
  return "";
}
