// EXPECT: PASS: each thread packs two 4-bit values into a byte of its own, signed bytes beside them.
#include "harness/simt/tests/kernel_test.h"

__global__ void each_thread_writes_its_byte_kernel(unsigned char* packed, signed char* quantised, const int* values) {
  const int i = threadIdx.x;
  packed[i] = values[2 * i] / 2 | values[2 * i + 1] / 2 << 4;
  quantised[blockIdx.x * 31 + i] = static_cast<signed char>(values[i] - 15);
}

ASSAY_KERNEL_TEST(each_thread_writes_its_byte) {
  unsigned char* const packed = output<unsigned char>("packed", 31);
  signed char* const quantised = output<signed char>("quantised", 31);
  launch_kernel(each_thread_writes_its_byte_kernel, {1, 31}, packed, quantised, input<int>("values", 62));
  return packed[1] == (14 / 2 | 21 / 2 << 4) && quantised[0] == -15 ? "" : "a byte is wrong";
}
