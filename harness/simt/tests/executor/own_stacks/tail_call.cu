// EXPECT: own: a known function ends with a jump to one that nobody has looked at.
#include "harness/simt/tests/stack_layout.h"

using assay::simt::launch_kernel;

__device__ __noinline__ double number_in(const char* text) { return strtod(text, nullptr); }

__global__ void read_numbers(uint64_t* where, double* numbers, const char* text) {
  numbers[threadIdx.x] = number_in(text);
  __syncthreads();
  where[threadIdx.x] = stack_pointer();
}

ASSAY_KERNEL_TEST(tail_call) {
  std::vector<uint64_t> where(64);
  std::vector<double> numbers(64);
  launch_kernel(read_numbers, {1, 64}, where.data(), numbers.data(), "7");
  return stack_layout(where);
}
