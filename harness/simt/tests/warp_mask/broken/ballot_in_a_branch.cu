// EXPECT: BARRIER: lanes that keep a token vote with a full mask, and the others have gone on to a barrier.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void ballot_in_a_branch_kernel(int* out, const int* x) {
  int slot = -1;
  if (x[threadIdx.x] > 15) {
    const unsigned kept = __ballot_sync(0xffffffffu, 1);  // HERE
    slot = __popc(kept & ((1u << threadIdx.x) - 1));
  }
  __syncthreads();  // HERE
  out[threadIdx.x] = slot;
}

ASSAY_KERNEL_TEST(ballot_in_a_branch) {
  launch_kernel(ballot_in_a_branch_kernel, {1, 32}, output<int>("out", 32), input<int>("x", 32));
  return "";
}
