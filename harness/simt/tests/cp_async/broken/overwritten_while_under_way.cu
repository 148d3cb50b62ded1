// EXPECT: RACE: a thread clears what lies behind the end of a row while its copy may still land there.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void overwritten_while_under_way_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[64];
  const int t = threadIdx.x;
  cp_async<4>(&tile[t], &in[t]);  // HERE
  if (t >= 60) tile[t] = 0;       // HERE
  cp_async_wait_all();
  out[t] = tile[t];
}

ASSAY_KERNEL_TEST(overwritten_while_under_way) {
  launch_kernel(overwritten_while_under_way_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
