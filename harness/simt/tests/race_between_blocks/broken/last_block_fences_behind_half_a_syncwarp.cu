// EXPECT: RACE: the first lane fences and counts when it has met half of the lanes that write.
// SAYS: partial[
#include "harness/simt/tests/kernel_test.h"

__global__ void last_block_fences_behind_half_a_syncwarp_kernel(int* total, int* partial, unsigned* done,
                                                                const int* in) {
  __shared__ bool last;
  const int t = threadIdx.x;
  partial[blockIdx.x * 32 + t] = in[blockIdx.x * 32 + t];  // HERE
  __syncwarp(t < 16 ? 0xffffu : 0xffff0000u);
  if (t == 0) {
    __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  for (unsigned i = 0; i < gridDim.x; ++i) atomicAdd(total, partial[i * 32 + t]);  // HERE
}

ASSAY_KERNEL_TEST(last_block_fences_behind_half_a_syncwarp) {
  launch_kernel(last_block_fences_behind_half_a_syncwarp_kernel, {6, 32}, accumulated<int>("total", 1),
                output<int>("partial", 192), accumulated<unsigned>("done", 1), input<int>("in", 192));
  return "";
}
