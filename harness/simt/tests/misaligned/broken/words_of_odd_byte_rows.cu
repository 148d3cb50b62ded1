// EXPECT: MISALIGNED: rows of 30 bytes are read four at a time.
// SAYS: x[30]: read by thread (0,1,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void words_of_odd_byte_rows_kernel(int* out, const signed char* x) {
  const int v = *reinterpret_cast<const int*>(x + threadIdx.y * 30 + 4 * threadIdx.x);  // HERE
  out[threadIdx.y * 7 + threadIdx.x] = __popc(v);
}

ASSAY_KERNEL_TEST(words_of_odd_byte_rows) {
  launch_kernel(words_of_odd_byte_rows_kernel, {1, dim3(7, 4)}, output<int>("out", 28), input<signed char>("x", 120));
  return "";
}
