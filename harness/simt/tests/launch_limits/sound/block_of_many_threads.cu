// EXPECT: PASS: a two-dimensional block has 1024 threads.
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void block_of_many_threads_kernel(float* out) { out[threadIdx.y * 32 + threadIdx.x] = 1; }

ASSAY_KERNEL_TEST(block_of_many_threads) {
  float* const out = output<float>("out", 1024);
  launch_kernel(block_of_many_threads_kernel, {1, dim3(32, 32)}, out);
  return out[1023] == 1 ? "" : "a value is wrong";
}
