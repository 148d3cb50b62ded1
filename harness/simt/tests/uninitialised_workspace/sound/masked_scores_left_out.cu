// EXPECT: PASS: causal attention leaves the masked scores unwritten, and the row sum leaves them out.
#include "harness/simt/tests/kernel_test.h"

__global__ void masked_scores_left_out_scores_kernel(float* scores, const float* q, const float* k) {
  const int row = threadIdx.x;
  for (int key = 0; key <= row; ++key) scores[row * 16 + key] = q[row] * k[key];
}
__global__ void masked_scores_left_out_kernel(float* out, const float* scores) {
  float sum = 0;
  for (int key = 0; key <= threadIdx.x; ++key) sum += scores[threadIdx.x * 16 + key];
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(masked_scores_left_out) {
  float *const scores = output<float>("scores", 256), *const out = output<float>("out", 16);
  const float *const q = input<float>("q", 16), *const k = input<float>("k", 16);
  launch_kernel(masked_scores_left_out_scores_kernel, {1, 16}, scores, q, k);
  launch_kernel(masked_scores_left_out_kernel, {1, 16}, out, scores);
  return out[1] == q[1] * (k[0] + k[1]) ? "" : "a sum is wrong";
}
