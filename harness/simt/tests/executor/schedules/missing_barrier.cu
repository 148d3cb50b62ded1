// A barrier is missing between writing and reading: wrong under some schedules, right by luck under others. No race is
// reported by the fast build; only the values show it.
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void neighbour(int* out) {
  __shared__ int data[64];
  data[threadIdx.x] = -1;
  __syncthreads();
  data[threadIdx.x] = threadIdx.x;
  if (threadIdx.x % 2 == 1) out[threadIdx.x] = data[threadIdx.x - 1];
}

ASSAY_KERNEL_TEST(missing_barrier) {
  std::vector<int> out(64);
  launch_kernel(neighbour, {1, 64}, out.data());
  for (int i = 1; i < 64; i += 2)
    if (out[i] != i - 1) return "stale value";
  return "";
}
