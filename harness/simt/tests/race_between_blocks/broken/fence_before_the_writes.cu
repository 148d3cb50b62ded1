// EXPECT: RACE: the fence stands before the writes that it should publish.
// SAYS: partial[0]: read by thread (0,0,0) of block (19,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void fence_before_the_writes_kernel(int* total, int* partial, unsigned* done, const int* in) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    __threadfence();
    partial[blockIdx.x] = in[blockIdx.x];  // HERE
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  if (threadIdx.x < gridDim.x) atomicAdd(total, partial[threadIdx.x]);  // HERE
}

ASSAY_KERNEL_TEST(fence_before_the_writes) {
  launch_kernel(fence_before_the_writes_kernel, {20, 32}, accumulated<int>("total", 1), output<int>("partial", 20),
                accumulated<unsigned>("done", 1), input<int>("in", 20));
  return "";
}
