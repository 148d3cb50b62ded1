// EXPECT: RACE: __pipeline_memcpy_async, committed, and a barrier instead of __pipeline_wait_prior.
// SAYS: a cp.async wait in that thread is missing
#include <cuda_pipeline.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void pipeline_without_wait_kernel(float* out, const float* in) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], 4);  // HERE
  __pipeline_commit();
  __syncthreads();
  out[t] = tile[63 - t];  // HERE
}

ASSAY_KERNEL_TEST(pipeline_without_wait) {
  launch_kernel(pipeline_without_wait_kernel, {1, 64}, output<float>("out", 64), input<float>("in", 64));
  return "";
}
