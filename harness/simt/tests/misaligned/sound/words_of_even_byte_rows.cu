// EXPECT: PASS: rows of 32 bytes are read four at a time.
#include "harness/simt/tests/kernel_test.h"

__global__ void words_of_even_byte_rows_kernel(int* out, const signed char* x) {
  const int v = *reinterpret_cast<const int*>(x + threadIdx.y * 32 + 4 * threadIdx.x);
  out[threadIdx.y * 7 + threadIdx.x] = v & 0xff;
}

ASSAY_KERNEL_TEST(words_of_even_byte_rows) {
  int* const out = output<int>("out", 28);
  launch_kernel(words_of_even_byte_rows_kernel, {1, dim3(7, 4)}, out, input<signed char>("x", 128));
  return out[27] == (3 * 32 + 24) * 7 % 31 ? "" : "a value is wrong";
}
