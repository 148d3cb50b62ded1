// EXPECT: UNINITIALISED: three components of shared vectors are written, and the fourth is read.
// SAYS: shared tile[
#include "harness/simt/tests/kernel_test.h"

__global__ void last_component_of_a_vector_kernel(float* out, const float* x) {
  __shared__ float4 tile[32];
  const int t = threadIdx.x;
  tile[t].x = x[3 * t];
  tile[t].y = x[3 * t + 1];
  tile[t].z = x[3 * t + 2];
  __syncthreads();
  out[t] = tile[31 - t].x + tile[31 - t].w;  // HERE
}

ASSAY_KERNEL_TEST(last_component_of_a_vector) {
  launch_kernel(last_component_of_a_vector_kernel, {1, 32}, output<float>("out", 32), input<float>("x", 96));
  return "";
}
