// EXPECT: RACE: tiles of 32 columns start every 30 columns, so that two blocks write the columns between.
// SAYS: out[30]
#include "harness/simt/tests/kernel_test.h"

__global__ void tiles_overlap_kernel(float* out, const float* in, int n) {
  const int i = blockIdx.x * 30 + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];  // HERE
}

ASSAY_KERNEL_TEST(tiles_overlap) {
  launch_kernel(tiles_overlap_kernel, {4, 32}, output<float>("out", 122), input<float>("in", 122), 122);
  return "";
}
