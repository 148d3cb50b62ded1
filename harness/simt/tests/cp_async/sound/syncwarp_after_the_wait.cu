// EXPECT: PASS: lanes of one warp need no more than __syncwarp after their waits.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void syncwarp_after_the_wait_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[64];
  const int t = threadIdx.x;
  cp_async<4>(&tile[t], &in[t]);
  cp_async_wait_all();
  __syncwarp();
  out[t] = tile[t ^ 1];
}

ASSAY_KERNEL_TEST(syncwarp_after_the_wait) {
  launch_kernel(syncwarp_after_the_wait_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
