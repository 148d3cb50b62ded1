// EXPECT: PASS: the launch counts the keys of attention and the scores behind them.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void dynamic_shared_for_both_tiles_kernel(float* out, const float* k) {
  extern __shared__ float dynamic_shared_for_both_tiles_memory[];
  float *const keys = dynamic_shared_for_both_tiles_memory, *const scores = dynamic_shared_for_both_tiles_memory + 64;
  const int t = threadIdx.x;
  keys[t] = k[t];
  scores[t] = 2 * k[t];
  __syncthreads();
  out[t] = keys[63 - t] * scores[63 - t];
}

ASSAY_KERNEL_TEST(dynamic_shared_for_both_tiles) {
  float* const out = output<float>("out", 64);
  const float* const k = input<float>("k", 64);
  launch_kernel(dynamic_shared_for_both_tiles_kernel, {1, 64, 128 * sizeof(float)}, out, k);
  return out[1] == 2 * k[62] * k[62] ? "" : "a score is wrong";
}
