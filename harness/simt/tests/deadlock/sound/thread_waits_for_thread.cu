// EXPECT: PASS: the first thread spins on a flag that the last thread of its block sets.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void hand_over(int* out, int* flag) {
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
    out[0] = 1;
  }
  if (threadIdx.x == blockDim.x - 1) atomicExch(flag, 1);
  __syncthreads();
  if (threadIdx.x == 1) out[1] = out[0] + 1;
}

ASSAY_KERNEL_TEST(thread_waits_for_thread) {
  int out[2] = {0, 0}, flag = 0;
  launch_kernel(hand_over, {1, 96}, out, &flag);
  return out[0] == 1 && out[1] == 2 ? "" : "the flag did not arrive";
}
