// EXPECT: RACE: a thread frees what another has read; an atomic tells it so, but without a fence that orders nothing.
#include "harness/simt/tests/kernel_test.h"

__global__ void freed_while_in_use_kernel(float* y, int* done) {
  __shared__ float* row;
  if (threadIdx.x == 0) {
    row = static_cast<float*>(malloc(64));
    row[0] = 1;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    y[0] = row[0];  // HERE
    atomicAdd(done, 1);
  }
  if (threadIdx.x == 32) {
    while (atomicAdd(done, 0) == 0) {
    }
    free(row);  // HERE
  }
}

ASSAY_KERNEL_TEST(freed_while_in_use) {
  launch_kernel(freed_while_in_use_kernel, {1, 64}, output<float>("y", 1), accumulated<int>("done", 1));
  return "";
}
