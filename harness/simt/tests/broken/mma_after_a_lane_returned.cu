// EXPECT: BARRIER: 31 lanes multiply, the last one has returned.
#include "harness/simt/tests/mma_kernels.h"

using assay::simt::launch_kernel;

__global__ void mma_after_a_lane_returned_kernel(float* out) {
  if (threadIdx.x == 31) return;
  float d[4] = {};
  const uint32_t a[4] = {}, b[2] = {};
  assay::device::mma_m16n8k16<__half>(d, a, b);
  out[threadIdx.x] = d[0];
}

ASSAY_KERNEL_TEST(mma_after_a_lane_returned) {
  std::vector<float> out(32);
  launch_kernel(mma_after_a_lane_returned_kernel, {1, 32}, out.data());
  return "";
}
