// EXPECT: own: inline assembly moves the stack pointer, which the compiler does not see.
#include "harness/simt/tests/stack_layout.h"

using assay::simt::launch_kernel;

__global__ void push_and_pop(uint64_t* where) {
  __syncthreads();
  asm volatile("push %%rax\n\tpop %%rax" ::: "memory");
  where[threadIdx.x] = stack_pointer();
}

ASSAY_KERNEL_TEST(assembly_that_pushes) {
  std::vector<uint64_t> where(64);
  launch_kernel(push_and_pop, {1, 64}, where.data());
  return stack_layout(where);
}
