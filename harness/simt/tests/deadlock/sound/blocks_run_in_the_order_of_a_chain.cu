// EXPECT: PASS: each block waits for a flag of the block after it, as in a scan that looks back.
// RUNS IN: fast
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void sum_of_those_after(int* sums, int* ready) {
  __shared__ int sum;
  const unsigned block = blockIdx.x;
  if (threadIdx.x == 40) {
    sum = static_cast<int>(block);
    if (block + 1 < gridDim.x) {
      while (atomicAdd(&ready[block + 1], 0) == 0) {
      }
      sum += sums[block + 1];
    }
  }
  __syncthreads();
  if (threadIdx.x == 7) {
    sums[block] = sum;
    __threadfence();
    atomicExch(&ready[block], 1);
  }
}

ASSAY_KERNEL_TEST(blocks_run_in_the_order_of_a_chain) {
  std::vector<int> sums(6), ready(6);
  launch_kernel(sum_of_those_after, {6, 64}, sums.data(), ready.data());
  for (int i = 0; i < 6; ++i)
    if (sums[i] != (5 * 6 - i * (i - 1)) / 2) return "a sum is wrong";
  return "";
}
