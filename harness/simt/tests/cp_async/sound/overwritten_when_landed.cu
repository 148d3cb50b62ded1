// EXPECT: PASS: a thread clears what lies behind the end of a row once its copy has landed.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void overwritten_when_landed_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[64];
  const int t = threadIdx.x;
  cp_async<4>(&tile[t], &in[t]);
  cp_async_wait_all();
  if (t >= 60) tile[t] = 0;
  out[t] = tile[t];
}

ASSAY_KERNEL_TEST(overwritten_when_landed) {
  launch_kernel(overwritten_when_landed_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
