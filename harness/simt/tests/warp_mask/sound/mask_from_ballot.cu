// EXPECT: PASS: a branch names the lanes that take it by a vote before it.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void mask_from_ballot_kernel(float* out, const float* x) {
  float sum = x[threadIdx.x];
  const unsigned mask = __ballot_sync(0xffffffffu, threadIdx.x % 2 == 0);
  if (threadIdx.x % 2 == 0) {
    for (int offset = 16; offset > 1; offset >>= 1) sum += __shfl_xor_sync(mask, sum, offset);
  }
  __syncthreads();
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(mask_from_ballot) {
  float* const out = output<float>("out", 32);
  const float* const x = input<float>("x", 32);
  launch_kernel(mask_from_ballot_kernel, {1, 32}, out, x);
  float sum = 0;
  for (int i = 0; i < 32; i += 2) sum += x[i];
  return out[0] == sum && out[30] == sum && out[31] == x[31] ? "" : "a sum is wrong";
}
