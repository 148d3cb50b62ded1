// EXPECT: PASS: all four components of shared vectors are written.
#include "harness/simt/tests/kernel_test.h"

__global__ void all_components_of_a_vector_kernel(float* out, const float* x) {
  __shared__ float4 tile[32];
  const int t = threadIdx.x;
  tile[t].x = x[3 * t];
  tile[t].y = x[3 * t + 1];
  tile[t].z = x[3 * t + 2];
  tile[t].w = 0;
  __syncthreads();
  out[t] = tile[31 - t].x + tile[31 - t].w;
}

ASSAY_KERNEL_TEST(all_components_of_a_vector) {
  float* const out = output<float>("out", 32);
  const float* const x = input<float>("x", 96);
  launch_kernel(all_components_of_a_vector_kernel, {1, 32}, out, x);
  return out[30] == x[3] && out[0] == x[93] ? "" : "a sum is wrong";
}
