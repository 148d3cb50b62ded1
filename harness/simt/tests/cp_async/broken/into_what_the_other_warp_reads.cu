// EXPECT: RACE: one warp reads its half of a tile while the other begins to copy the next one there.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void into_what_the_other_warp_reads_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[64];
  const int t = threadIdx.x;
  cp_async<4>(&tile[t], &in[t]);
  cp_async_wait_all();
  __syncthreads();
  if (t < 32)
    out[t] = tile[t];  // HERE
  else
    cp_async<4>(&tile[t - 32], &in[32 + t]);  // HERE
}

ASSAY_KERNEL_TEST(into_what_the_other_warp_reads) {
  launch_kernel(into_what_the_other_warp_reads_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 128));
  return "";
}
