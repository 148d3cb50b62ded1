// EXPECT: RACE: blocks count themselves with a plain increment, so that none knows whether it is the last.
#include "harness/simt/tests/kernel_test.h"

__global__ void last_block_counts_plainly_kernel(int* total, int* partial, unsigned* done, const int* in) {
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = in[blockIdx.x];  // HERE
  __threadfence();
  const unsigned count = ++*done;  // HERE
  if (count != gridDim.x) return;
  for (unsigned i = 0; i < gridDim.x; ++i) *total += partial[i];  // HERE
}

ASSAY_KERNEL_TEST(last_block_counts_plainly) {
  launch_kernel(last_block_counts_plainly_kernel, {10, 32}, accumulated<int>("total", 1), output<int>("partial", 10),
                accumulated<unsigned>("done", 1), input<int>("in", 10));
  return "";
}
