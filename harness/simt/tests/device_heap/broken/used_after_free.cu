// EXPECT: OUT_OF_BOUNDS: a row is read again after it has been freed.
// SAYS: but it has been freed by thread (0,0,0) of block (0,0,0)
#include "harness/simt/tests/kernel_test.h"

__noinline__ __device__ void give_back(float* row) {  // no compiler is to warn of what follows
  delete[] row;                                       // HERE
}

__global__ void used_after_free_kernel(float* y) {
  float* const row = new float[16];
  row[3] = threadIdx.x;
  give_back(row);
  y[threadIdx.x] = row[3] + 1;  // HERE
}

ASSAY_KERNEL_TEST(used_after_free) {
  launch_kernel(used_after_free_kernel, {1, 32}, output<float>("y", 32));
  return "";
}
