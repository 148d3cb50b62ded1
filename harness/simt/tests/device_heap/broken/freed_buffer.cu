// EXPECT: OUT_OF_BOUNDS: a kernel frees a buffer that the host allocated.
// SAYS: y[0]: free by thread (0,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void freed_buffer_kernel(float* y) {
  y[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0) free(y);  // HERE
}

ASSAY_KERNEL_TEST(freed_buffer) {
  launch_kernel(freed_buffer_kernel, {1, 32}, output<float>("y", 32));
  return "";
}
