// EXPECT: PASS: the last lane of a warp spins while the others wait for it in a shuffle.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void join_kernel(int* out, int* flag) {
  const int t = threadIdx.x;
  if (t == 31) {
    while (atomicAdd(flag, 0) == 0) {
    }
  }
  if (t == 63) atomicExch(flag, 1);
  int sum = t % 32;
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  __syncthreads();
  out[t] = sum;
}

ASSAY_KERNEL_TEST(spinner_joins_its_warp) {
  std::vector<int> out(64);
  int flag = 0;
  launch_kernel(join_kernel, {1, 64}, out.data(), &flag);
  for (int i = 0; i < 64; ++i)
    if (out[i] != 496) return "a sum is wrong";
  return "";
}
