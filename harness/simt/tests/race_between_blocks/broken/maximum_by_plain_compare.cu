// EXPECT: RACE: blocks keep the largest absolute value for a quantisation by a plain compare and write.
// SAYS: largest[0]
#include "harness/simt/tests/kernel_test.h"

__global__ void maximum_by_plain_compare_kernel(float* largest, const float* x) {
  const float mine = fabsf(x[blockIdx.x * 32 + threadIdx.x]);
  if (mine > *largest) *largest = mine;  // HERE
}

ASSAY_KERNEL_TEST(maximum_by_plain_compare) {
  launch_kernel(maximum_by_plain_compare_kernel, {4, 32}, accumulated<float>("largest", 1), input<float>("x", 128));
  return "";
}
