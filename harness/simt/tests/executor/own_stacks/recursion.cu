// EXPECT: own: two functions call each other.
#include "harness/simt/tests/stack_layout.h"

using assay::simt::launch_kernel;

__device__ __noinline__ int odd(volatile const int* number, int below);
__device__ __noinline__ int even(volatile const int* number, int below) {
  return *number == below ? 1 : 1 - odd(number, below + 1);
}
__device__ __noinline__ int odd(volatile const int* number, int below) {
  return *number == below ? 0 : 1 - even(number, below + 1);
}

__global__ void decide(uint64_t* where, const int* number) {
  __syncthreads();
  where[threadIdx.x] = even(number, 0) + stack_pointer();
}

ASSAY_KERNEL_TEST(recursion) {
  std::vector<uint64_t> where(64);
  const int number = 4;
  launch_kernel(decide, {1, 64}, where.data(), &number);
  return stack_layout(where);
}
