// EXPECT: PASS: a wait for everything needs no commit.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void not_committed_but_all_waited_for_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[64];
  const int t = threadIdx.x;
  cp_async<4>(&tile[t], &in[t]);
  cp_async_wait_all();
  out[t] = tile[t];
}

ASSAY_KERNEL_TEST(not_committed_but_all_waited_for) {
  launch_kernel(not_committed_but_all_waited_for_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
