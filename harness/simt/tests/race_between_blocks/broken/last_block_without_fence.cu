// EXPECT: RACE: the last block reads what others wrote without a fence.
// SAYS: partial[
// SAYS: (last_block_without_fence.cu:
#include "harness/simt/tests/kernel_test.h"

__global__ void last_block_without_fence_kernel(int* total, int* partial, unsigned* done, const int* in) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];  // HERE
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  if (threadIdx.x < gridDim.x) atomicAdd(total, partial[threadIdx.x]);  // HERE
}

ASSAY_KERNEL_TEST(last_block_without_fence) {
  int* const total = accumulated<int>("total", 1);
  launch_kernel(last_block_without_fence_kernel, {20, 32}, total, output<int>("partial", 20),
                accumulated<unsigned>("done", 1), input<int>("in", 20));
  int expected = 0;
  for (int i = 0; i < 20; ++i) expected += i * 7 % 31;
  return *total == expected ? "" : "the total is wrong";
}
