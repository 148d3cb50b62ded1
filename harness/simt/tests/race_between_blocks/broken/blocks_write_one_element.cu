// EXPECT: RACE: every block writes its sum to the same element.
// SAYS: total[0]: write by thread (0,0,0) of block (1,0,0) (blocks_write_one_element.cu:
// SAYS: after write by thread (0,0,0) of block (0,0,0)
// SAYS: blocks run in no order
#include "harness/simt/tests/kernel_test.h"

__global__ void blocks_write_one_element_kernel(float* total, const float* in) {
  if (threadIdx.x == 0) total[0] = in[blockIdx.x];  // HERE
}

ASSAY_KERNEL_TEST(blocks_write_one_element) {
  launch_kernel(blocks_write_one_element_kernel, {4, 32}, output<float>("total", 1), input<float>("in", 4));
  return "";
}
