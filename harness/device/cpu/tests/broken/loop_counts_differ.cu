// EXPECT: BARRIER: the last four threads of each warp go round a loop with a barrier once more than the others.
#include "harness/device/cpu/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void uneven_rounds(int* out) {
  const int rounds = threadIdx.x % 32 < 28 ? 3 : 4;
  for (int i = 0; i < rounds; ++i) {
    out[threadIdx.x] += i;
    __syncthreads();
  }
  out[threadIdx.x] *= 2;
  __syncthreads();
  out[threadIdx.x] += out[(threadIdx.x + 1) % blockDim.x];
}

ASSAY_KERNEL_TEST(loop_counts_differ) {
  std::vector<int> out(64);
  launch_kernel(uneven_rounds, {1, 64}, out.data());
  return "";
}
