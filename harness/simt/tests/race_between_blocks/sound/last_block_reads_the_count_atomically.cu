// EXPECT: PASS: blocks count themselves and read the count with one atomic.
#include "harness/simt/tests/kernel_test.h"

__global__ void last_block_reads_the_count_atomically_kernel(int* total, int* partial, unsigned* done, const int* in) {
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = in[blockIdx.x];
  __threadfence();
  const bool last = atomicAdd(done, 1u) + 1 == gridDim.x;
  if (!last) return;
  __threadfence();
  for (unsigned i = 0; i < gridDim.x; ++i) *total += partial[i];
}

ASSAY_KERNEL_TEST(last_block_reads_the_count_atomically) {
  int* const total = accumulated<int>("total", 1);
  const int* const in = input<int>("in", 10);
  launch_kernel(last_block_reads_the_count_atomically_kernel, {10, 32}, total, output<int>("partial", 10),
                accumulated<unsigned>("done", 1), in);
  int expected = 0;
  for (int i = 0; i < 10; ++i) expected += in[i];
  return *total == expected ? "" : "the total is wrong";
}
