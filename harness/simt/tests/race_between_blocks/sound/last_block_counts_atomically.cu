// EXPECT: PASS: blocks count themselves with an atomic increment behind a fence, and the last adds up.
#include "harness/simt/tests/kernel_test.h"

__global__ void last_block_counts_atomically_kernel(int* total, int* partial, unsigned* done, const int* in) {
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = in[blockIdx.x];
  __threadfence();
  const unsigned count = atomicInc(done, gridDim.x - 1);
  if (count != gridDim.x - 1) return;
  __threadfence();
  for (unsigned i = 0; i < gridDim.x; ++i) *total += partial[i];
}

ASSAY_KERNEL_TEST(last_block_counts_atomically) {
  int* const total = accumulated<int>("total", 1);
  unsigned* const done = accumulated<unsigned>("done", 1);
  const int* const in = input<int>("in", 10);
  launch_kernel(last_block_counts_atomically_kernel, {10, 32}, total, output<int>("partial", 10), done, in);
  int expected = 0;
  for (int i = 0; i < 10; ++i) expected += in[i];
  return *total == expected && *done == 0 ? "" : "the total is wrong";
}
