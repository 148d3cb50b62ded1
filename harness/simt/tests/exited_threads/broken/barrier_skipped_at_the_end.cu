// EXPECT: HINT: some threads skip the last barrier, and return.
// DETECTOR: exited_threads_hint
// SAYS: has returned without coming here
#include "harness/simt/tests/kernel_test.h"

__global__ void barrier_skipped_at_the_end_kernel(float* y) {
  y[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 48) __syncthreads();  // HERE
}

ASSAY_KERNEL_TEST(barrier_skipped_at_the_end) {
  launch_kernel(barrier_skipped_at_the_end_kernel, {1, 64}, output<float>("y", 64));
  return "";
}
