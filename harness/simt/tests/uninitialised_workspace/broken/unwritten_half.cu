// EXPECT: UNINITIALISED: odd 16-bit elements of a workspace are read and never written.
// SAYS: workspace[1]: read by thread (1,0,0)
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void unwritten_half_kernel(__nv_bfloat16* workspace, float* out) {
  if (threadIdx.x % 2 == 0) workspace[threadIdx.x] = __float2bfloat16(1.0f);
  __syncthreads();
  out[threadIdx.x] = __bfloat162float(workspace[threadIdx.x]);  // HERE
}

ASSAY_KERNEL_TEST(unwritten_half) {
  launch_kernel(unwritten_half_kernel, {1, 32}, output<__nv_bfloat16>("workspace", 32), output<float>("out", 32));
  return "";
}
