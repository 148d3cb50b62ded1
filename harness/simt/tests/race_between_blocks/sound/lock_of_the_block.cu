// EXPECT: PASS: the warps of each block take a lock of their own by atomics and fences of the block's scope.
#include "harness/simt/tests/kernel_test.h"

__global__ void lock_of_the_block_kernel(float* rows, int* locks, const float* dy) {
  if (threadIdx.x % 32 != 0) return;
  while (atomicCAS_block(&locks[blockIdx.x], 0, 1) != 0) {
  }
  __threadfence_block();
  rows[blockIdx.x] += dy[threadIdx.x / 32];
  __threadfence_block();
  atomicExch_block(&locks[blockIdx.x], 0);
}

ASSAY_KERNEL_TEST(lock_of_the_block) {
  float* const rows = accumulated<float>("rows", 3);
  const float* const dy = input<float>("dy", 4);
  launch_kernel(lock_of_the_block_kernel, {3, 128}, rows, accumulated<int>("locks", 3), dy);
  return rows[2] == dy[0] + dy[1] + dy[2] + dy[3] ? "" : "an update was lost";
}
