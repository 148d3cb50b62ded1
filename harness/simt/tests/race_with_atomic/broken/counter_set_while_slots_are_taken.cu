// EXPECT: RACE: one thread of a compaction sets the counter plainly while others take slots from it.
// SAYS: next[0]
#include "harness/simt/tests/kernel_test.h"

__global__ void counter_set_while_slots_are_taken_kernel(int* out, int* next, const int* in) {
  const int value = in[threadIdx.x];
  if (value > 15) out[atomicAdd(next, 1)] = value;  // HERE
  if (threadIdx.x == 63) *next = 64;                // HERE
}

ASSAY_KERNEL_TEST(counter_set_while_slots_are_taken) {
  launch_kernel(counter_set_while_slots_are_taken_kernel, {1, 64}, accumulated<int>("out", 192),
                accumulated<int>("next", 1), input<int>("in", 64));
  return "";
}
