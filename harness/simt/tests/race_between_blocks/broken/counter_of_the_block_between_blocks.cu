// EXPECT: RACE: blocks count to one word, one of them by atomics of the block's scope.
// SAYS: an atomic of the block's scope is none for threads of other blocks
#include "harness/simt/tests/kernel_test.h"

__global__ void counter_of_the_block_between_blocks_kernel(int* count) {
  if (blockIdx.x == 1)
    atomicAdd_block(count, 1);  // HERE
  else
    atomicAdd(count, 1);  // HERE
}

ASSAY_KERNEL_TEST(counter_of_the_block_between_blocks) {
  launch_kernel(counter_of_the_block_between_blocks_kernel, {3, 64}, accumulated<int>("count", 1));
  return "";
}
