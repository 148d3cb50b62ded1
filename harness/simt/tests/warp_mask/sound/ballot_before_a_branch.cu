// EXPECT: PASS: all lanes vote whether they keep a token.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void ballot_before_a_branch_kernel(int* out, const int* x) {
  int slot = -1;
  const bool keep = x[threadIdx.x] > 15;
  const unsigned kept = __ballot_sync(0xffffffffu, keep);
  if (keep) slot = __popc(kept & ((1u << threadIdx.x) - 1));
  __syncthreads();
  out[threadIdx.x] = slot;
}

ASSAY_KERNEL_TEST(ballot_before_a_branch) {
  int* const out = output<int>("out", 32);
  const int* const x = input<int>("x", 32);
  launch_kernel(ballot_before_a_branch_kernel, {1, 32}, out, x);
  for (int i = 0, slot = 0; i < 32; ++i)
    if (out[i] != (x[i] > 15 ? slot++ : -1)) return "a slot is wrong";
  return "";
}
