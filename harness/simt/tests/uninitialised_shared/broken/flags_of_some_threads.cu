// EXPECT: UNINITIALISED: only threads with a token set their byte of a shared mask, and all bytes are read.
// SAYS: this block has not written it
#include "harness/simt/tests/kernel_test.h"

__global__ void flags_of_some_threads_kernel(int* out, int n) {
  __shared__ bool keep[64];
  const int t = threadIdx.x;
  if (t < n) keep[t] = t % 3 == 0;
  __syncthreads();
  out[t] = keep[63 - t];  // HERE
}

ASSAY_KERNEL_TEST(flags_of_some_threads) {
  launch_kernel(flags_of_some_threads_kernel, {1, 64}, output<int>("out", 64), 45);
  return "";
}
