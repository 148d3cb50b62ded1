// EXPECT: PASS: __pipeline_memcpy_async, committed and waited for, and a barrier.
#include <cuda_pipeline.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void pipeline_with_wait_kernel(float* out, const float* in) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = tile[63 - t];
}

ASSAY_KERNEL_TEST(pipeline_with_wait) {
  launch_kernel(pipeline_with_wait_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
