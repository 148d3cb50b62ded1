// EXPECT: PASS: the last lane has no row; it multiplies like the others and returns then.
// RUNS IN: fast and checked
#include <cuda_fp16.h>

#include "harness/simt/include/simt/mma.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void mma_by_32_lanes_kernel(float* out, const uint32_t* in) {
  const int t = threadIdx.x;
  const uint32_t a[4] = {in[t]}, b[2] = {in[t]};
  float d[4] = {};
  assay::simt::mma_m16n8k16<__half>(d, a, b);
  if (t >= 31) return;
  out[t] = d[0];
}

ASSAY_KERNEL_TEST(mma_by_32_lanes) {
  launch_kernel(mma_by_32_lanes_kernel, {1, 32}, output<float>("out", 32), input<uint32_t>("in", 32));
  return "";
}
