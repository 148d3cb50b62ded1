// EXPECT: RACE: attention weights values by scores that other threads have yet to write.
#include "harness/simt/tests/kernel_test.h"

__global__ void attention_scores_read_too_soon_kernel(float* out, const float* q, const float* k, const float* v) {
  __shared__ float scores[32];
  const int t = threadIdx.x;
  scores[t] = q[0] * k[t];  // HERE
  float sum = 0;
  for (int key = 0; key < 32; ++key) sum += scores[key] * v[key * 32 + t];  // HERE
  out[t] = sum;
}

ASSAY_KERNEL_TEST(attention_scores_read_too_soon) {
  launch_kernel(attention_scores_read_too_soon_kernel, {1, 32}, output<float>("out", 32), input<float>("q", 1),
                input<float>("k", 32), input<float>("v", 1024));
  return "";
}
