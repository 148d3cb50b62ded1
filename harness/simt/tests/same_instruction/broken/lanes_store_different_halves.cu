// EXPECT: RACE: the lanes of a warp store different 16-bit values to one element of an output.
// SAYS: store different values
#include "harness/simt/tests/kernel_test.h"

__global__ void lanes_store_different_halves_kernel(unsigned short* y) {
  y[0] = threadIdx.x / 8;  // HERE
}

ASSAY_KERNEL_TEST(lanes_store_different_halves) {
  launch_kernel(lanes_store_different_halves_kernel, {1, 32}, output<unsigned short>("y", 2));
  return "";
}
