// EXPECT: BARRIER: half a warp multiplies, the other half is at the next barrier.
#include "harness/simt/tests/mma_kernels.h"

using assay::simt::launch_kernel;

__global__ void mma_in_a_branch_kernel(float* out) {
  float d[4] = {};
  const uint32_t a[4] = {}, b[2] = {};
  if (threadIdx.x < 16) assay::device::mma_m16n8k16<__nv_bfloat16>(d, a, b);
  __syncthreads();
  out[threadIdx.x] = d[0];
}

ASSAY_KERNEL_TEST(mma_in_a_branch) {
  std::vector<float> out(32);
  launch_kernel(mma_in_a_branch_kernel, {1, 32}, out.data());
  return "";
}
