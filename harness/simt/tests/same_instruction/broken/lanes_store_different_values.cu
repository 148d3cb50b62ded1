// EXPECT: RACE: all lanes of a warp store their own partial sum where one of them was meant to.
// SAYS: but lanes 0 and 1 of warp 0 store different values (1, 2) in this one instruction
#include "harness/simt/tests/kernel_test.h"

__global__ void lanes_store_different_values_kernel(float* y) {
  __shared__ float part[2];
  part[threadIdx.x / 32] = threadIdx.x + 1;  // HERE
  __syncthreads();
  y[threadIdx.x] = part[0] + part[1];
}

ASSAY_KERNEL_TEST(lanes_store_different_values) {
  launch_kernel(lanes_store_different_values_kernel, {1, 64}, output<float>("y", 64));
  return "";
}
