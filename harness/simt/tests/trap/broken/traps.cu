// EXPECT: CRASH: __trap in one thread.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void trapping(int* out) {
  if (blockIdx.x == 2 && threadIdx.x == 37) __trap();
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = 1;
}

ASSAY_KERNEL_TEST(traps) {
  std::vector<int> out(256);
  launch_kernel(trapping, {4, 64}, out.data());
  return "";
}
