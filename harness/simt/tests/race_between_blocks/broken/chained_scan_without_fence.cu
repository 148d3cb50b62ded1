// EXPECT: RACE: a block of a chained prefix sum raises its flag without a fence behind its sum.
// SAYS: prefix[0]
#include "harness/simt/tests/kernel_test.h"

__global__ void chained_scan_without_fence_kernel(int* prefix, unsigned* flags, unsigned* ticket, const int* in) {
  if (threadIdx.x != 0) return;
  const unsigned tile = atomicAdd(ticket, 1u);
  int before = 0;
  if (tile > 0) {
    while (atomicAdd(&flags[tile - 1], 0u) == 0u) {
    }
    before = prefix[tile - 1];  // HERE
  }
  prefix[tile] = before + in[tile];  // HERE
  atomicExch(&flags[tile], 1u);
}

ASSAY_KERNEL_TEST(chained_scan_without_fence) {
  launch_kernel(chained_scan_without_fence_kernel, {8, 32}, output<int>("prefix", 8), accumulated<unsigned>("flags", 8),
                accumulated<unsigned>("ticket", 1), input<int>("in", 8));
  return "";
}
