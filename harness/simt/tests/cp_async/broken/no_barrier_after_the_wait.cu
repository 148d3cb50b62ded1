// EXPECT: RACE: every thread waits for its own copy, and reads that of another without a barrier.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void no_barrier_after_the_wait_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[64];
  const int t = threadIdx.x;
  cp_async<4>(&tile[t], &in[t]);  // HERE
  cp_async_wait_all();
  out[t] = tile[63 - t];  // HERE
}

ASSAY_KERNEL_TEST(no_barrier_after_the_wait) {
  launch_kernel(no_barrier_after_the_wait_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
