// EXPECT: RACE: blocks leave a lock before they write the row that it guards.
// SAYS: row[0]
#include "harness/simt/tests/kernel_test.h"

__global__ void lock_left_too_early_kernel(float* row, int* lock, const float* dy) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  const float old = row[0];  // HERE
  __threadfence();
  atomicExch(lock, 0);
  row[0] = old + dy[blockIdx.x];  // HERE
}

ASSAY_KERNEL_TEST(lock_left_too_early) {
  launch_kernel(lock_left_too_early_kernel, {8, 32}, accumulated<float>("row", 1), accumulated<int>("lock", 1),
                input<float>("dy", 8));
  return "";
}
