// EXPECT: MISALIGNED: rows of 33 floats are read as float2.
// CLANG: not seen
// SAYS: x[33]: read by thread (0,1,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void float2_of_odd_rows_kernel(float* out, const float* x) {
  const float2 v = *reinterpret_cast<const float2*>(x + threadIdx.y * 33 + 2 * threadIdx.x);  // HERE
  out[threadIdx.y * 16 + threadIdx.x] = v.x + v.y;
}

ASSAY_KERNEL_TEST(float2_of_odd_rows) {
  launch_kernel(float2_of_odd_rows_kernel, {1, dim3(16, 4)}, output<float>("out", 64), input<float>("x", 4 * 33));
  return "";
}
