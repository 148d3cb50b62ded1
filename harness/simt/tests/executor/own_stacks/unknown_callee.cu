// EXPECT: own: nobody has looked what a function of the C library needs.
#include "harness/simt/tests/stack_layout.h"

using assay::simt::launch_kernel;

__global__ void say(uint64_t* where, char* text) {
  __syncthreads();
  if (threadIdx.x == 0) snprintf(text, 8, "%d", 7);
  where[threadIdx.x] = stack_pointer();
}

ASSAY_KERNEL_TEST(unknown_callee) {
  std::vector<uint64_t> where(64);
  char text[8];
  launch_kernel(say, {1, 64}, where.data(), text);
  return stack_layout(where);
}
