// TOTAL: bytes_read=256 bytes_written=128
// A stride of two fetches twice the sectors that its bytes would fill.
#include "harness/simt/tests/kernel_test.h"

__global__ void every_second_word_kernel(float* out, const float* in) {
  const float value = in[2 * threadIdx.x];  // LINE: sectors_per_request=8 ideal_sectors_per_request=4
  out[threadIdx.x] = value;                 // LINE: sectors_per_request=4
}

ASSAY_KERNEL_TEST(every_second_word) {
  launch_kernel(every_second_word_kernel, {1, 32}, output<float>("out", 32), input<float>("in", 64));
  return "";
}
