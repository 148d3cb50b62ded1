// EXPECT: BARRIER: the halves of a warp meet in products of two shapes.
// RUNS IN: fast and checked
#include "harness/simt/tests/mma_kernels.h"

using assay::simt::launch_kernel;

__global__ void mma_of_two_shapes_kernel(float* out) {
  float d[4] = {};
  const uint32_t a[4] = {}, b[2] = {};
  if (threadIdx.x < 16)
    assay::simt::mma_m16n8k16<__half>(d, a, b);  // HERE
  else
    assay::simt::mma_m16n8k8<__half>(d, a, b);  // HERE
  out[threadIdx.x] = d[0];
}

ASSAY_KERNEL_TEST(mma_of_two_shapes) {
  std::vector<float> out(32);
  launch_kernel(mma_of_two_shapes_kernel, {1, 32}, out.data());
  return "";
}
