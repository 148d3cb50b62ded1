// EXPECT: RACE: small negative integers, whose bits are those of NaNs too.
// SAYS: but lanes 0 and 1 of warp 0 store different values (-1, -2) in this one instruction
#include "harness/simt/tests/kernel_test.h"

__global__ void lanes_store_negative_numbers_kernel(int* y) {
  __shared__ int last;
  last = -1 - static_cast<int>(threadIdx.x);  // HERE
  __syncthreads();
  y[threadIdx.x] = last;
}

ASSAY_KERNEL_TEST(lanes_store_negative_numbers) {
  launch_kernel(lanes_store_negative_numbers_kernel, {1, 32}, output<int>("y", 32));
  return "";
}
