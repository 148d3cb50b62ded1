// EXPECT: own: the size of the frame is known at run time only.
#include "harness/simt/tests/stack_layout.h"

using assay::simt::launch_kernel;

__global__ void keep_as_many(uint64_t* where, int count) {
  volatile char* const bytes = static_cast<volatile char*>(__builtin_alloca(count));
  bytes[count - 1] = 0;
  __syncthreads();
  where[threadIdx.x] = stack_pointer() + static_cast<uint64_t>(bytes[count - 1]);
}

ASSAY_KERNEL_TEST(frame_of_variable_size) {
  std::vector<uint64_t> where(64);
  launch_kernel(keep_as_many, {1, 64}, where.data(), 7);
  return stack_layout(where);
}
