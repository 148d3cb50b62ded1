// EXPECT: own: the frame is aligned at run time, so its distance from the stack pointer varies.
#include "harness/simt/tests/stack_layout.h"

using assay::simt::launch_kernel;

__global__ void keep_a_line(uint64_t* where, int index) {
  alignas(64) volatile char line[64];
  line[index] = 0;
  __syncthreads();
  where[threadIdx.x] = stack_pointer() + static_cast<uint64_t>(line[index]);
}

ASSAY_KERNEL_TEST(aligned_frame) {
  std::vector<uint64_t> where(64);
  launch_kernel(keep_a_line, {1, 64}, where.data(), 7);
  return stack_layout(where);
}
