// EXPECT: RACE: the first block clears a sum to which other blocks of the launch already add.
// SAYS: total[0]
#include "harness/simt/tests/kernel_test.h"

__global__ void cleared_while_others_add_kernel(float* total, const float* x) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *total = 0;    // HERE
  if (threadIdx.x == 0) atomicAdd(total, x[blockIdx.x]);  // HERE
}

ASSAY_KERNEL_TEST(cleared_while_others_add) {
  launch_kernel(cleared_while_others_add_kernel, {4, 32}, accumulated<float>("total", 1), input<float>("x", 4));
  return "";
}
