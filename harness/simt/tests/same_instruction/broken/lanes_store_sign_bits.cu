// EXPECT: RACE: lanes store integers of which one has the bits of -0.
// SAYS: lanes_store_sign_bits.cu:6), but lanes 0 and 1 of warp 0 store different values (0, -2147483648)
#include "harness/simt/tests/kernel_test.h"

__global__ void lanes_store_sign_bits_kernel(int* y) {
  y[0] = static_cast<int>(threadIdx.x % 2 << 31);  // HERE
}

ASSAY_KERNEL_TEST(lanes_store_sign_bits) {
  launch_kernel(lanes_store_sign_bits_kernel, {1, 32}, output<int>("y", 1));
  return "";
}
