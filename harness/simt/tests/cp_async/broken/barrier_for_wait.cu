// EXPECT: RACE: a barrier, and no wait, between copies and reads of what other threads copy.
// SAYS: after cp.async by thread
// SAYS: a cp.async wait in that thread is missing
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void barrier_for_wait_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[64];
  const int t = threadIdx.x;
  cp_async<4>(&tile[t], &in[t]);  // HERE
  cp_async_commit_group();
  __syncthreads();
  out[t] = tile[63 - t];  // HERE
}

ASSAY_KERNEL_TEST(barrier_for_wait) {
  launch_kernel(barrier_for_wait_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
