// EXPECT: CRASH: a block asks for one float more than the dynamic shared memory that it may have.
// SAYS: 232452 bytes of dynamic shared memory
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void more_shared_memory_than_there_is_kernel(float* out) {
  extern __shared__ float more_shared_memory_than_there_is_memory[];
  more_shared_memory_than_there_is_memory[threadIdx.x] = 1;
  out[threadIdx.x] = more_shared_memory_than_there_is_memory[threadIdx.x];
}

ASSAY_KERNEL_TEST(more_shared_memory_than_there_is) {
  launch_kernel(more_shared_memory_than_there_is_kernel, {1, 32, 227 * 1024 + 4}, output<float>("out", 32));
  return "";
}
