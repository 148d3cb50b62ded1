// EXPECT: RACE: all threads of two warps write one byte of an array that has values.
// SAYS: flags[
#include "harness/simt/tests/kernel_test.h"

__global__ void one_byte_for_all_kernel(unsigned char* flags) {
  flags[3] = threadIdx.x;  // HERE
}

ASSAY_KERNEL_TEST(one_byte_for_all) {
  launch_kernel(one_byte_for_all_kernel, {1, 64}, accumulated<unsigned char>("flags", 32));
  return "";
}
