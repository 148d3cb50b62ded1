// EXPECT: PASS: while one thread spins, whole warps wait at a barrier that they must not leave before it.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void wait_for_spinner(int* out, int* flag) {
  if (threadIdx.x == 0) {
    while (atomicAdd(flag, 0) == 0) {
    }
    out[0] = 1;
  }
  if (threadIdx.x == blockDim.x - 1) atomicExch(flag, 1);
  __syncthreads();
  out[1 + threadIdx.x] = out[0];
}

ASSAY_KERNEL_TEST(block_waits_for_spinner) {
  std::vector<int> out(97);
  int flag = 0;
  launch_kernel(wait_for_spinner, {1, 96}, out.data(), &flag);
  for (int i = 0; i < 97; ++i)
    if (out[i] != 1) return "a warp left the barrier early";
  return "";
}
