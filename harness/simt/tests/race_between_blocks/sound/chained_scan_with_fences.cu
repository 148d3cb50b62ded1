// EXPECT: PASS: a block of a chained prefix sum raises its flag behind a fence, and its reader has one too.
#include "harness/simt/tests/kernel_test.h"

__global__ void chained_scan_with_fences_kernel(int* prefix, unsigned* flags, unsigned* ticket, const int* in) {
  if (threadIdx.x != 0) return;
  const unsigned tile = atomicAdd(ticket, 1u);
  int before = 0;
  if (tile > 0) {
    while (atomicAdd(&flags[tile - 1], 0u) == 0u) {
    }
    __threadfence();
    before = prefix[tile - 1];
  }
  prefix[tile] = before + in[tile];
  __threadfence();
  atomicExch(&flags[tile], 1u);
}

ASSAY_KERNEL_TEST(chained_scan_with_fences) {
  int* const prefix = output<int>("prefix", 8);
  const int* const in = input<int>("in", 8);
  launch_kernel(chained_scan_with_fences_kernel, {8, 32}, prefix, accumulated<unsigned>("flags", 8),
                accumulated<unsigned>("ticket", 1), in);
  int expected = 0;
  for (int i = 0; i < 8; ++i) expected += in[i];
  return prefix[7] == expected ? "" : "the sum is wrong";
}
