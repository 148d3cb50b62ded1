// EXPECT: PASS: one thread of a block writes the length to a shared word.
#include "harness/simt/tests/kernel_test.h"

__global__ void one_thread_writes_the_length_kernel(int* out, const int* lengths) {
  __shared__ int length;
  if (threadIdx.x == 0) length = lengths[blockIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = threadIdx.x < length ? 1 : 0;
}

ASSAY_KERNEL_TEST(one_thread_writes_the_length) {
  int* const out = output<int>("out", 128);
  launch_kernel(one_thread_writes_the_length_kernel, {2, 64}, out, input<int>("lengths", 2));
  return out[0] == 0 && out[64 + 6] == 1 && out[64 + 7] == 0 ? "" : "a mask is wrong";
}
