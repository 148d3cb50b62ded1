// EXPECT: OUT_OF_BOUNDS: cross-entropy reads the logit of a label that says to ignore the row.
// SAYS: logits[-100]: read by thread (0,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void ignored_label_is_an_index_kernel(float* loss, const float* logits, const int* labels, int classes) {
  const int row = threadIdx.x;
  loss[row] = -logits[row * classes + labels[row]];  // HERE
}

ASSAY_KERNEL_TEST(ignored_label_is_an_index) {
  int* const labels = accumulated<int>("labels", 4);
  labels[0] = -100;
  launch_kernel(ignored_label_is_an_index_kernel, {1, 4}, output<float>("loss", 4), input<float>("logits", 32), labels,
                8);
  return "";
}
