// EXPECT: BARRIER: only lanes whose row counts multiply, and the others have gone on to a barrier.
// RUNS IN: fast and checked
#include <cuda_fp16.h>

#include "harness/simt/include/simt/mma.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void mma_under_a_divergent_branch_kernel(float* out, const uint32_t* in) {
  const int t = threadIdx.x;
  const uint32_t a[4] = {in[t]}, b[2] = {in[t]};
  float d[4] = {};
  if (t % 2 == 0) assay::simt::mma_m16n8k16<__half>(d, a, b);  // HERE
  __syncthreads();                                             // HERE
  out[t] = d[0];
}

ASSAY_KERNEL_TEST(mma_under_a_divergent_branch) {
  launch_kernel(mma_under_a_divergent_branch_kernel, {1, 32}, output<float>("out", 32), input<uint32_t>("in", 32));
  return "";
}
