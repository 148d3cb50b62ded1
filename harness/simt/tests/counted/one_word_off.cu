// TOTAL: bytes_read=160
// A row that starts in the middle of a sector touches one more.
#include "harness/simt/tests/kernel_test.h"

__global__ void one_word_off_kernel(float* out, const float* in) {
  const float value = in[threadIdx.x + 1];  // LINE: sectors_per_request=5 ideal_sectors_per_request=4
  out[threadIdx.x] = value;
}

ASSAY_KERNEL_TEST(one_word_off) {
  launch_kernel(one_word_off_kernel, {1, 32}, output<float>("out", 32), input<float>("in", 33));
  return "";
}
