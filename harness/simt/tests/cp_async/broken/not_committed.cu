// EXPECT: UNINITIALISED: a wait for all groups, but the copy has never been committed to one.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void not_committed_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[64];
  const int t = threadIdx.x;
  cp_async<4>(&tile[t], &in[t]);  // HERE
  cp_async_wait_group<0>();
  out[t] = tile[t];  // HERE
}

ASSAY_KERNEL_TEST(not_committed) {
  launch_kernel(not_committed_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
