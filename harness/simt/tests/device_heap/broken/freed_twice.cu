// EXPECT: OUT_OF_BOUNDS: two threads free one row, a barrier apart.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void freed_twice_kernel() {
  __shared__ float* row;
  if (threadIdx.x == 0) row = static_cast<float*>(malloc(64));
  __syncthreads();
  if (threadIdx.x == 1) free(row);  // HERE
  __syncthreads();
  if (threadIdx.x == 2) free(row);  // HERE
}

ASSAY_KERNEL_TEST(freed_twice) {
  launch_kernel(freed_twice_kernel, {1, 32});
  return "";
}
