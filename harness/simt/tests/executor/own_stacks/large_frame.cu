// EXPECT: own: 16 KB of local arrays.
#include "harness/simt/tests/stack_layout.h"

using assay::simt::launch_kernel;

__global__ void keep_a_table(uint64_t* where, int index) {
  volatile int table[4096];
  table[index] = 1;
  __syncthreads();
  where[threadIdx.x] = stack_pointer() + static_cast<uint64_t>(table[index] - 1);
}

ASSAY_KERNEL_TEST(large_frame) {
  std::vector<uint64_t> where(64);
  launch_kernel(keep_a_table, {1, 64}, where.data(), 7);
  return stack_layout(where);
}
