// EXPECT: OUT_OF_BOUNDS: a word before a slice of f32.
// SAYS: out[-1]: write by thread (0,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void word_before_a_slice_kernel(float* out) {
  out[static_cast<int>(threadIdx.x) - 1] = 1.0f;  // HERE
}

ASSAY_KERNEL_TEST(word_before_a_slice) {
  launch_kernel(word_before_a_slice_kernel, {1, 32}, output_slice<float>("out", 1, 33));
  return "";
}
