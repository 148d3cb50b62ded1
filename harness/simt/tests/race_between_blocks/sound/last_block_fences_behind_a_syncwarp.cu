// EXPECT: PASS: the first lane fences and counts when it has met the lanes that have written their parts.
#include "harness/simt/tests/kernel_test.h"

__global__ void last_block_fences_behind_a_syncwarp_kernel(int* total, int* partial, unsigned* done, const int* in) {
  __shared__ bool last;
  const int t = threadIdx.x;
  partial[blockIdx.x * 32 + t] = in[blockIdx.x * 32 + t];
  __syncwarp();
  if (t == 0) {
    __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  for (unsigned i = 0; i < gridDim.x; ++i) atomicAdd(total, partial[i * 32 + t]);
}

ASSAY_KERNEL_TEST(last_block_fences_behind_a_syncwarp) {
  int* const total = accumulated<int>("total", 1);
  const int* const in = input<int>("in", 192);
  launch_kernel(last_block_fences_behind_a_syncwarp_kernel, {6, 32}, total, output<int>("partial", 192),
                accumulated<unsigned>("done", 1), in);
  int expected = 0;
  for (int i = 0; i < 192; ++i) expected += in[i];
  return *total == expected ? "" : "the total is wrong";
}
