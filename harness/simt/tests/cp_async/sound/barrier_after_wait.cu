// EXPECT: PASS: copies, a wait, a barrier, reads of what other threads have copied.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void barrier_after_wait_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[64];
  const int t = threadIdx.x;
  cp_async<4>(&tile[t], &in[t]);
  cp_async_commit_group();
  cp_async_wait_group<0>();
  __syncthreads();
  out[t] = tile[63 - t];
}

ASSAY_KERNEL_TEST(barrier_after_wait) {
  launch_kernel(barrier_after_wait_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
