// EXPECT: UNINITIALISED: causal attention leaves the masked scores unwritten, and the row sum reads them.
// SAYS: scores[1]: read by thread (0,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void masked_scores_read_scores_kernel(float* scores, const float* q, const float* k) {
  const int row = threadIdx.x;
  for (int key = 0; key <= row; ++key) scores[row * 16 + key] = q[row] * k[key];
}
__global__ void masked_scores_read_kernel(float* out, const float* scores) {
  float sum = 0;
  for (int key = 0; key < 16; ++key) sum += scores[threadIdx.x * 16 + key];  // HERE
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(masked_scores_read) {
  float* const scores = output<float>("scores", 256);
  launch_kernel(masked_scores_read_scores_kernel, {1, 16}, scores, input<float>("q", 16), input<float>("k", 16));
  launch_kernel(masked_scores_read_kernel, {1, 16}, output<float>("out", 16), scores);
  return "";
}
