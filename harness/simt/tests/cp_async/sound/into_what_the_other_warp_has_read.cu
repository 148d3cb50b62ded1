// EXPECT: PASS: one warp reads its half of a tile, and behind a barrier the other begins to copy the next one there.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void into_what_the_other_warp_has_read_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[64];
  const int t = threadIdx.x;
  cp_async<4>(&tile[t], &in[t]);
  cp_async_wait_all();
  __syncthreads();
  if (t < 32) out[t] = tile[t];
  __syncthreads();
  if (t >= 32) cp_async<4>(&tile[t - 32], &in[32 + t]);
}

ASSAY_KERNEL_TEST(into_what_the_other_warp_has_read) {
  launch_kernel(into_what_the_other_warp_has_read_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 128));
  return "";
}
