// EXPECT: RACE: a thread writes a whole float4 while others write its components.
// SAYS: shared tile[
#include "harness/simt/tests/kernel_test.h"

__global__ void vector_against_one_component_kernel(float4* out, const float* x) {
  __shared__ float4 tile[8];
  const int t = threadIdx.x;
  if (t % 4 == 0) tile[t / 4] = make_float4(0, 0, 0, 0);  // HERE
  reinterpret_cast<float*>(tile)[t] = x[t];               // HERE
  __syncthreads();
  if (t < 8) out[t] = tile[t];
}

ASSAY_KERNEL_TEST(vector_against_one_component) {
  launch_kernel(vector_against_one_component_kernel, {1, 32}, output<float4>("out", 8), input<float>("x", 32));
  return "";
}
