// EXPECT: PASS: a block asks whether it is the last behind a barrier.
#include "harness/simt/tests/kernel_test.h"

__global__ void last_flag_read_after_barrier_kernel(int* total, int* partial, unsigned* done, const int* in) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  if (threadIdx.x != 0) return;
  for (unsigned i = 0; i < gridDim.x; ++i) *total += partial[i];
}

ASSAY_KERNEL_TEST(last_flag_read_after_barrier) {
  int* const total = accumulated<int>("total", 1);
  const int* const in = input<int>("in", 20);
  launch_kernel(last_flag_read_after_barrier_kernel, {20, 64}, total, output<int>("partial", 20),
                accumulated<unsigned>("done", 1), in);
  int expected = 0;
  for (int i = 0; i < 20; ++i) expected += in[i];
  return *total == expected ? "" : "the total is wrong";
}
