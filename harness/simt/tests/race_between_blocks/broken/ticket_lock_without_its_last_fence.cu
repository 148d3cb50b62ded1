// EXPECT: RACE: blocks take turns by tickets with no fence before the turn is passed on.
#include "harness/simt/tests/kernel_test.h"

__global__ void ticket_lock_without_its_last_fence_kernel(float* row, unsigned* next, unsigned* serving,
                                                          const float* dy) {
  if (threadIdx.x != 0) return;
  const unsigned mine = atomicAdd(next, 1u);
  while (atomicAdd(serving, 0u) != mine) {
  }
  __threadfence();
  row[0] += dy[blockIdx.x];  // HERE
  atomicAdd(serving, 1u);
}

ASSAY_KERNEL_TEST(ticket_lock_without_its_last_fence) {
  float* const row = accumulated<float>("row", 1);
  const float* const dy = input<float>("dy", 8);
  launch_kernel(ticket_lock_without_its_last_fence_kernel, {8, 32}, row, accumulated<unsigned>("next", 1),
                accumulated<unsigned>("serving", 1), dy);
  float expected = 0;
  for (int i = 0; i < 8; ++i) expected += dy[i];
  return row[0] == expected ? "" : "an update was lost";
}
