// EXPECT: OUT_OF_BOUNDS: the last float4 of a row is read whole though only half of it belongs to the input.
// SAYS: x[102]: read by thread (25,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void vector_tail_kernel(float* out, const float* x, int n) {
  const int i = threadIdx.x;
  if (4 * i >= n) return;
  const float4 v = reinterpret_cast<const float4*>(x)[i];  // HERE
  out[i] = v.x + v.y + v.z + v.w;
}

ASSAY_KERNEL_TEST(vector_tail) {
  launch_kernel(vector_tail_kernel, {1, 32}, output<float>("out", 26), input<float>("x", 102), 102);
  return "";
}
