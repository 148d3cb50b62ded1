// EXPECT: CRASH: thread (5,0,0) of block (1,0,0) writes through a null pointer.
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void write_null(int* data) {
  __syncthreads();
  if (blockIdx.x == 1 && threadIdx.x == 5) *data = 1;
}

ASSAY_KERNEL_TEST(writes_null) {
  launch_kernel(write_null, {2, 32}, static_cast<int*>(nullptr));
  return "";
}
