// EXPECT: PASS: all threads set their byte of a shared mask before all bytes are read.
#include "harness/simt/tests/kernel_test.h"

__global__ void flags_of_all_threads_kernel(int* out, int n) {
  __shared__ bool keep[64];
  const int t = threadIdx.x;
  keep[t] = t < n && t % 3 == 0;
  __syncthreads();
  out[t] = keep[63 - t];
}

ASSAY_KERNEL_TEST(flags_of_all_threads) {
  int* const out = output<int>("out", 64);
  launch_kernel(flags_of_all_threads_kernel, {1, 64}, out, 45);
  return out[0] == 0 && out[63] == 1 && out[63 - 42] == 1 ? "" : "a flag is wrong";
}
