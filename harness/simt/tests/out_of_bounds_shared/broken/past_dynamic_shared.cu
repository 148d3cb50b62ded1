// EXPECT: OUT_OF_BOUNDS: the launch asks for less shared memory than the kernel uses.
// RUNS IN: fast and checked
// SAYS: shared dynamic[96]: write by thread
// SAYS: the array has 384 bytes
#include "harness/simt/tests/kernel_test.h"

__global__ void past_dynamic_shared_kernel(float* out) {
  extern __shared__ float past_dynamic_shared_memory[];
  past_dynamic_shared_memory[threadIdx.x] = 1.0f;  // HERE
  __syncthreads();
  out[threadIdx.x] = threadIdx.x < 96 ? past_dynamic_shared_memory[threadIdx.x] : 0.0f;
}

ASSAY_KERNEL_TEST(past_dynamic_shared) {
  launch_kernel(past_dynamic_shared_kernel, {1, 128, 96 * sizeof(float)}, output<float>("out", 128));
  return "";
}
