// EXPECT: RACE: blocks count themselves with an atomic, but read the count plainly.
// SAYS: done[0]
#include "harness/simt/tests/kernel_test.h"

__global__ void last_block_reads_the_count_plainly_kernel(int* total, int* partial, unsigned* done, const int* in) {
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = in[blockIdx.x];
  __threadfence();
  atomicAdd(done, 1u);                   // HERE
  const bool last = *done == gridDim.x;  // HERE
  if (!last) return;
  for (unsigned i = 0; i < gridDim.x; ++i) *total += partial[i];
}

ASSAY_KERNEL_TEST(last_block_reads_the_count_plainly) {
  launch_kernel(last_block_reads_the_count_plainly_kernel, {10, 32}, accumulated<int>("total", 1),
                output<int>("partial", 10), accumulated<unsigned>("done", 1), input<int>("in", 10));
  return "";
}
