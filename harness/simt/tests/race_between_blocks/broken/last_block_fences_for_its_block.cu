// EXPECT: RACE: blocks publish partial sums behind a fence that orders within the block alone.
// SAYS: partial[
#include "harness/simt/tests/kernel_test.h"

__global__ void last_block_fences_for_its_block_kernel(int* total, int* partial, unsigned* done, const int* in) {
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = in[blockIdx.x];  // HERE
  __threadfence_block();
  const bool last = atomicAdd(done, 1u) == gridDim.x - 1;
  __threadfence();
  for (unsigned i = 0; last && i < gridDim.x; ++i) *total += partial[i];  // HERE
}

ASSAY_KERNEL_TEST(last_block_fences_for_its_block) {
  launch_kernel(last_block_fences_for_its_block_kernel, {6, 32}, accumulated<int>("total", 1),
                output<int>("partial", 6), accumulated<unsigned>("done", 1), input<int>("in", 6));
  return "";
}
