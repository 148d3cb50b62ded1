// EXPECT: PASS: launches with more and with less shared memory, each of which uses what it asks for.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void enough_dynamic_shared_kernel(float* out) {
  extern __shared__ float enough_dynamic_shared_memory[];
  enough_dynamic_shared_memory[threadIdx.x] = 1.0f;
  __syncthreads();
  out[threadIdx.x] = enough_dynamic_shared_memory[blockDim.x - 1 - threadIdx.x];
}

ASSAY_KERNEL_TEST(enough_dynamic_shared) {
  for (const unsigned threads : {128u, 32u, 96u})
    launch_kernel(enough_dynamic_shared_kernel, {1, threads, threads * sizeof(float)}, output<float>("out", threads));
  return "";
}
