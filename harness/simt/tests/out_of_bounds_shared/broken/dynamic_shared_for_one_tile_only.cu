// EXPECT: OUT_OF_BOUNDS: the launch counts the keys of attention and forgets the scores behind them.
// RUNS IN: fast and checked
// SAYS: read by thread
// SAYS: the array has 256 bytes
#include "harness/simt/tests/kernel_test.h"

__global__ void dynamic_shared_for_one_tile_only_kernel(float* out, const float* k) {
  extern __shared__ float dynamic_shared_for_one_tile_only_memory[];
  float *const keys = dynamic_shared_for_one_tile_only_memory, *const scores =
                                                                   dynamic_shared_for_one_tile_only_memory + 64;
  const int t = threadIdx.x;
  keys[t] = k[t];
  scores[t] = 2 * k[t];  // HERE
  __syncthreads();
  out[t] = keys[63 - t] * scores[63 - t];  // HERE
}

ASSAY_KERNEL_TEST(dynamic_shared_for_one_tile_only) {
  launch_kernel(dynamic_shared_for_one_tile_only_kernel, {1, 64, 64 * sizeof(float)}, output<float>("out", 64),
                input<float>("k", 64));
  return "";
}
