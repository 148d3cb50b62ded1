// EXPECT: OUT_OF_BOUNDS: a kernel scales its table of constants in place.
// SAYS: which is __constant__ memory
#include "harness/simt/tests/kernel_test.h"

__constant__ float constants_are_written_table[32];

__global__ void constants_are_written_kernel(float scale) {
  constants_are_written_table[threadIdx.x] *= scale;  // HERE
}

ASSAY_KERNEL_TEST(constants_are_written) {
  launch_kernel(constants_are_written_kernel, {1, 32}, 2.0f);
  return "";
}
