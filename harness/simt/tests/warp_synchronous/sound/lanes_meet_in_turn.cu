// EXPECT: PASS: lane 0 meets lane 1, lane 1 meets lane 2, and so on: each hands on what it got.
#include "harness/simt/tests/kernel_test.h"

__global__ void lanes_meet_in_turn_kernel(int* out) {
  __shared__ int slot;
  const unsigned lane = threadIdx.x;
  if (lane == 0) slot = 1;
  if (lane > 0) __syncwarp(3u << (lane - 1));
  const int value = slot;
  out[lane] = value;
  if (lane < 31) __syncwarp(3u << lane);
}

ASSAY_KERNEL_TEST(lanes_meet_in_turn) {
  int* const out = output<int>("out", 32);
  launch_kernel(lanes_meet_in_turn_kernel, {1, 32}, out);
  return out[31] == 1 ? "" : "the value was not handed on";
}
