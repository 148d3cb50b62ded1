// EXPECT: RACE: blocks take a lock by compare-and-swap with no fence behind it.
// SAYS: the lock between them is taken with no fence behind it
#include "harness/simt/tests/kernel_test.h"

__global__ void lock_without_its_first_fence_kernel(float* row, int* lock, const float* dy) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  row[0] += dy[blockIdx.x];  // HERE
  __threadfence();
  atomicExch(lock, 0);
}

ASSAY_KERNEL_TEST(lock_without_its_first_fence) {
  launch_kernel(lock_without_its_first_fence_kernel, {8, 32}, accumulated<float>("row", 1), accumulated<int>("lock", 1),
                input<float>("dy", 8));
  return "";
}
