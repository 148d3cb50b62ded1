// EXPECT: RACE: every thread of a block writes the same length to one shared word.
// SAYS: shared length[0]
#include "harness/simt/tests/kernel_test.h"

__global__ void every_thread_writes_the_length_kernel(int* out, const int* lengths) {
  __shared__ int length;
  length = lengths[blockIdx.x];  // HERE
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = threadIdx.x < length ? 1 : 0;
}

ASSAY_KERNEL_TEST(every_thread_writes_the_length) {
  launch_kernel(every_thread_writes_the_length_kernel, {2, 64}, output<int>("out", 128), input<int>("lengths", 2));
  return "";
}
