// EXPECT: PASS: blocks write the row that a lock guards before they leave it.
#include "harness/simt/tests/kernel_test.h"

__global__ void lock_left_in_time_kernel(float* row, int* lock, const float* dy) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  const float old = row[0];
  row[0] = old + dy[blockIdx.x];
  __threadfence();
  atomicExch(lock, 0);
}

ASSAY_KERNEL_TEST(lock_left_in_time) {
  float* const row = accumulated<float>("row", 1);
  const float* const dy = input<float>("dy", 8);
  launch_kernel(lock_left_in_time_kernel, {8, 32}, row, accumulated<int>("lock", 1), dy);
  float expected = 0;
  for (int i = 0; i < 8; ++i) expected += dy[i];
  return row[0] == expected ? "" : "an update was lost";
}
