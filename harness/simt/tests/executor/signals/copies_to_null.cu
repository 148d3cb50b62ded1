// EXPECT: CRASH: thread (2,0,0) copies to a null pointer, by a function of the C library.
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void copy_to_null(char* data, const char* from, size_t bytes) {
  __syncthreads();
  if (threadIdx.x == 2) memcpy(data, from, bytes);
  __syncthreads();
}

ASSAY_KERNEL_TEST(copies_to_null) {
  static const char from[4096] = {};
  launch_kernel(copy_to_null, {1, 32}, static_cast<char*>(nullptr), &from[0], sizeof from);
  return "";
}
