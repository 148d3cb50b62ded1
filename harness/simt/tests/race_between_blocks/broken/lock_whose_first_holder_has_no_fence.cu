// EXPECT: RACE: the block that comes to a lock first has no fence behind it, and under another schedule would come
// last. SAYS: the lock between them is taken with no fence behind it
#include "harness/simt/tests/kernel_test.h"

__global__ void lock_whose_first_holder_has_no_fence_kernel(float* row, int* lock, const float* dy) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  if (blockIdx.x != 0) __threadfence();
  row[0] += dy[blockIdx.x];  // HERE
  __threadfence();
  atomicExch(lock, 0);
}

ASSAY_KERNEL_TEST(lock_whose_first_holder_has_no_fence) {
  launch_kernel(lock_whose_first_holder_has_no_fence_kernel, {2, 32}, accumulated<float>("row", 1),
                accumulated<int>("lock", 1), input<float>("dy", 2));
  return "";
}
