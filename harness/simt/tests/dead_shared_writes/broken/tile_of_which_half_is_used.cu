// EXPECT: HINT: a tile is staged whole, and only its even elements are used.
// DETECTOR: dead_shared_writes
// SAYS: which no thread of the block reads
#include "harness/simt/tests/kernel_test.h"

__global__ void tile_of_which_half_is_used_kernel(float* out, const float* x) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  tile[t] = x[64 * blockIdx.x + t];  // HERE
  __syncthreads();
  out[64 * blockIdx.x + t] = tile[t / 2 * 2];
}

ASSAY_KERNEL_TEST(tile_of_which_half_is_used) {
  launch_kernel(tile_of_which_half_is_used_kernel, {2, 64}, output<float>("out", 128), input<float>("x", 128));
  return "";
}
