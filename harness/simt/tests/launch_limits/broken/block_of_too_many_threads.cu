// EXPECT: CRASH: a two-dimensional block has 1056 threads.
// SAYS: a block has at most 1024 threads
// RUNS IN: fast and checked
#include "harness/simt/tests/kernel_test.h"

__global__ void block_of_too_many_threads_kernel(float* out) { out[threadIdx.y * 33 + threadIdx.x] = 1; }

ASSAY_KERNEL_TEST(block_of_too_many_threads) {
  launch_kernel(block_of_too_many_threads_kernel, {1, dim3(33, 32)}, output<float>("out", 1056));
  return "";
}
