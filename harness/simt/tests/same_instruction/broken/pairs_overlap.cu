// EXPECT: RACE: each lane copies a pair one element behind its neighbour's, so that pairs overlap, with equal values.
// SAYS: store to overlapping bytes from different addresses in this one instruction
#include "harness/simt/tests/kernel_test.h"

__global__ void pairs_overlap_kernel(int* out) {
  const int pair[2] = {7, 7};
  memcpy(&out[threadIdx.x], pair, sizeof pair);  // HERE
}

ASSAY_KERNEL_TEST(pairs_overlap) {
  launch_kernel(pairs_overlap_kernel, {1, 32}, output<int>("out", 33));
  return "";
}
