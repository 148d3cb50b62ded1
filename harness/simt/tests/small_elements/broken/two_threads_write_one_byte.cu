// EXPECT: RACE: the two threads of a pair of 4-bit values both write the byte that holds the pair.
// SAYS: packed[
#include "harness/simt/tests/kernel_test.h"

__global__ void two_threads_write_one_byte_kernel(unsigned char* packed, const int* values) {
  const int i = threadIdx.x;
  packed[i / 2] = values[i] / 2 << i % 2 * 4;  // HERE
}

ASSAY_KERNEL_TEST(two_threads_write_one_byte) {
  launch_kernel(two_threads_write_one_byte_kernel, {1, 64}, output<unsigned char>("packed", 32),
                input<int>("values", 64));
  return "";
}
