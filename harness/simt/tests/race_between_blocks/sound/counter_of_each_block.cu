// EXPECT: PASS: each block counts to a word of its own by atomics of the block's scope, and hands that on by one of the
// device's.
#include "harness/simt/tests/kernel_test.h"

__global__ void counter_of_each_block_kernel(int* total, int* counts) {
  atomicAdd_block(&counts[blockIdx.x], 1);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(total, counts[blockIdx.x]);
}

ASSAY_KERNEL_TEST(counter_of_each_block) {
  int* const total = accumulated<int>("total", 1);
  launch_kernel(counter_of_each_block_kernel, {3, 64}, total, accumulated<int>("counts", 3));
  return *total == 192 ? "" : "the total is wrong";
}
