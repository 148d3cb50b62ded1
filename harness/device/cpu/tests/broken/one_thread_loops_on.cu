// EXPECT: BARRIER: one thread in the middle of a warp goes round a loop with a barrier once more than the others.
#include "harness/device/cpu/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void one_more_round(int* out) {
  const int rounds = threadIdx.x == 41 ? 4 : 3;
  for (int i = 0; i < rounds; ++i) {
    out[threadIdx.x] += i;
    __syncthreads();
  }
  out[threadIdx.x] *= 2;
  __syncthreads();
  out[threadIdx.x] += out[(threadIdx.x + 1) % blockDim.x];
}

ASSAY_KERNEL_TEST(one_thread_loops_on) {
  std::vector<int> out(64);
  launch_kernel(one_more_round, {1, 64}, out.data());
  return "";
}
