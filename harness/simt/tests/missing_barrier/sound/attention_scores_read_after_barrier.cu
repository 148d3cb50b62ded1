// EXPECT: PASS: attention weights values by scores that are all written.
#include "harness/simt/tests/kernel_test.h"

__global__ void attention_scores_read_after_barrier_kernel(float* out, const float* q, const float* k, const float* v) {
  __shared__ float scores[32];
  const int t = threadIdx.x;
  scores[t] = q[1] * k[t];
  __syncthreads();
  float sum = 0;
  for (int key = 0; key < 32; ++key) sum += scores[key] * v[key * 32 + t];
  out[t] = sum;
}

ASSAY_KERNEL_TEST(attention_scores_read_after_barrier) {
  float* const out = output<float>("out", 32);
  const float *const k = input<float>("k", 32), *const v = input<float>("v", 1024);
  launch_kernel(attention_scores_read_after_barrier_kernel, {1, 32}, out, input<float>("q", 2), k, v);
  float expected = 0;
  for (int key = 0; key < 32; ++key) expected += 7 * k[key] * v[key * 32 + 3];
  return out[3] == expected ? "" : "a sum is wrong";
}
