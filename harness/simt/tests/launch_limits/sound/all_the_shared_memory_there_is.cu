// EXPECT: PASS: a block asks for all the dynamic shared memory that it may have, and uses its last float.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void all_the_shared_memory_there_is_kernel(float* out) {
  extern __shared__ float all_the_shared_memory_there_is_memory[];
  const int last = 227 * 256 - 1;
  all_the_shared_memory_there_is_memory[last - threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = all_the_shared_memory_there_is_memory[last - 31 + threadIdx.x];
}

ASSAY_KERNEL_TEST(all_the_shared_memory_there_is) {
  float* const out = output<float>("out", 32);
  launch_kernel(all_the_shared_memory_there_is_kernel, {1, 32, 227 * 1024}, out);
  return out[0] == 31 && out[31] == 0 ? "" : "a value is wrong";
}
