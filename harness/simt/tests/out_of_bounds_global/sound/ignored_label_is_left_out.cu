// EXPECT: PASS: cross-entropy gives no loss to a row whose label says to ignore it.
#include "harness/simt/tests/kernel_test.h"

__global__ void ignored_label_is_left_out_kernel(float* loss, const float* logits, const int* labels, int classes) {
  const int row = threadIdx.x;
  loss[row] = labels[row] < 0 ? 0 : -logits[row * classes + labels[row]];
}

ASSAY_KERNEL_TEST(ignored_label_is_left_out) {
  int* const labels = accumulated<int>("labels", 4);
  labels[0] = -100;
  float* const loss = output<float>("loss", 4);
  launch_kernel(ignored_label_is_left_out_kernel, {1, 4}, loss, input<float>("logits", 32), labels, 8);
  return loss[0] == 0 && loss[1] == -(8 * 7 % 31) ? "" : "a loss is wrong";
}
