// EXPECT: RACE: blocks take a lock by atomics of the block's scope, which are none for the other blocks.
// SAYS: an atomic of the block's scope is none for threads of other blocks
#include "harness/simt/tests/kernel_test.h"

__global__ void lock_of_the_block_between_blocks_kernel(float* row, int* lock, const float* dy) {
  if (threadIdx.x != 0) return;
  while (atomicCAS_block(lock, 0, 1) != 0) {  // HERE
  }
  __threadfence();
  row[0] += dy[blockIdx.x];  // HERE
  __threadfence();
  atomicExch_block(lock, 0);  // HERE
}

ASSAY_KERNEL_TEST(lock_of_the_block_between_blocks) {
  launch_kernel(lock_of_the_block_between_blocks_kernel, {4, 32}, accumulated<float>("row", 1),
                accumulated<int>("lock", 1), input<float>("dy", 4));
  return "";
}
