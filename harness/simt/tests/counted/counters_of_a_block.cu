// TOTAL: atomics=272 atomics_per_address=13.6 contention_max=8 barriers_per_block=2
// Four counters in shared memory, other ones in each block, then added to four in global memory.
#include "harness/simt/tests/kernel_test.h"

__global__ void counters_of_a_block_kernel(unsigned* counts) {
  __shared__ unsigned mine[4];
  if (threadIdx.x < 4) mine[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&mine[threadIdx.x % 4], 1u);  // LINE: atomics_per_address=16 contention_max=8 bank_conflict_degree=1
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);  // LINE: contention_max=1 active_lanes=0.125
}

ASSAY_KERNEL_TEST(counters_of_a_block) {
  launch_kernel(counters_of_a_block_kernel, {4, 64}, accumulated<unsigned>("counts", 4));
  return "";
}
