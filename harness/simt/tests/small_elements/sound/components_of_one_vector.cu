// EXPECT: PASS: four threads write the components of a float4, and one reads it whole behind a barrier.
#include "harness/simt/tests/kernel_test.h"

__global__ void components_of_one_vector_kernel(float4* out, const float* x) {
  __shared__ float4 tile[8];
  const int t = threadIdx.x;
  reinterpret_cast<float*>(tile)[t] = x[t];
  __syncthreads();
  if (t < 8) out[t] = tile[t];
}

ASSAY_KERNEL_TEST(components_of_one_vector) {
  float4* const out = output<float4>("out", 8);
  const float* const x = input<float>("x", 32);
  launch_kernel(components_of_one_vector_kernel, {1, 32}, out, x);
  return out[7].w == x[31] && out[0].y == x[1] ? "" : "a value is wrong";
}
