// EXPECT: BARRIER: the last lane has no row and returns, the others multiply.
// SAYS: which needs all 32 lanes, but lane 31 has returned from the kernel
// RUNS IN: fast and checked
#include <cuda_fp16.h>

#include "harness/simt/include/simt/mma.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void mma_by_31_lanes_kernel(float* out, const uint32_t* in) {
  const int t = threadIdx.x;
  const uint32_t a[4] = {in[t]}, b[2] = {in[t]};
  float d[4] = {};
  if (t >= 31) return;
  assay::simt::mma_m16n8k16<__half>(d, a, b);  // HERE
  out[t] = d[0];
}

ASSAY_KERNEL_TEST(mma_by_31_lanes) {
  launch_kernel(mma_by_31_lanes_kernel, {1, 32}, output<float>("out", 32), input<uint32_t>("in", 32));
  return "";
}
