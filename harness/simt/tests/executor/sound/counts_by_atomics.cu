// EXPECT: PASS: shared and device memory are counted in by atomics; launched from several OS threads too.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void count(int* total) {
  __shared__ int of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  atomicAdd(&of_block, 1);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(total, of_block);
}

ASSAY_KERNEL_TEST(counts_by_atomics) {
  int total = 0;
  launch_kernel(count, {3, 100}, &total);
  return total == 300 ? "" : "not every thread was counted once";
}
