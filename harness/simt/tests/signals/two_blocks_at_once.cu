// EXPECT: dense: both blocks, each run by an OS thread of its own.
#include <string>

#include "harness/simt/tests/stack_layout.h"

using assay::simt::launch_kernel;

__global__ void meet(uint64_t* where, int* begun) {
  if (threadIdx.x == 0) {
    atomicAdd(begun, 1);
    while (*static_cast<volatile int*>(begun) < 2) continue;
  }
  __syncthreads();
  where[blockIdx.x * blockDim.x + threadIdx.x] = stack_pointer();
}

ASSAY_KERNEL_TEST(two_blocks_at_once) {
  std::vector<uint64_t> where(2 * 1000);
  int begun = 0;
  launch_kernel(meet, {2, 1000}, where.data(), &begun);
  const std::string first = stack_layout({where.begin(), where.begin() + 1000});
  return first == stack_layout({where.begin() + 1000, where.end()}) ? first == "dense" ? "dense" : "own" : "both";
}
