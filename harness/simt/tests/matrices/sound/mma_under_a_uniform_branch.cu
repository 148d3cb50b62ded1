// EXPECT: PASS: all lanes multiply, and those whose row does not count drop the result.
// RUNS IN: fast and checked
#include <cuda_fp16.h>

#include "harness/simt/include/simt/mma.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void mma_under_a_uniform_branch_kernel(float* out, const uint32_t* in) {
  const int t = threadIdx.x;
  const uint32_t a[4] = {in[t]}, b[2] = {in[t]};
  float d[4] = {};
  if (in[0] == 0) assay::simt::mma_m16n8k16<__half>(d, a, b);
  __syncthreads();
  out[t] = t % 2 == 0 ? d[0] : 0.0f;
}

ASSAY_KERNEL_TEST(mma_under_a_uniform_branch) {
  launch_kernel(mma_under_a_uniform_branch_kernel, {1, 32}, output<float>("out", 32), input<uint32_t>("in", 32));
  return "";
}
