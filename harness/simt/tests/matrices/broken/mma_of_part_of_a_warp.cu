// EXPECT: BARRIER: a block of 48 threads has a warp of 16, which cannot multiply.
// RUNS IN: fast and checked
#include "harness/simt/tests/mma_kernels.h"

using assay::simt::launch_kernel;

__global__ void mma_of_part_of_a_warp_kernel(float* out) {
  float d[4] = {};
  const uint32_t a[4] = {}, b[2] = {};
  assay::simt::mma_m16n8k8_tf32(d, a, b);  // HERE
  out[threadIdx.x] = d[0];
}

ASSAY_KERNEL_TEST(mma_of_part_of_a_warp) {
  std::vector<float> out(48);
  launch_kernel(mma_of_part_of_a_warp_kernel, {1, 48}, out.data());
  return "";
}
