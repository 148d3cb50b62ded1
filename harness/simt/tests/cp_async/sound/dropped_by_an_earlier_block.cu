// EXPECT: PASS: what a block has not waited for is dropped at its end; the next one finds an ordinary array.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void dropped_by_an_earlier_block_kernel(float* out, const float* in) {
  using namespace assay::simt;
  __shared__ float tile[64];
  const int t = threadIdx.x;
  if (blockIdx.x == 0) {
    cp_async<4>(&tile[t], &in[t]);
    return;
  }
  tile[t] = in[t];
  __syncthreads();
  out[t] = tile[63 - t];
}

ASSAY_KERNEL_TEST(dropped_by_an_earlier_block) {
  launch_kernel(dropped_by_an_earlier_block_kernel, {2, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
