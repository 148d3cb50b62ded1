// EXPECT: PASS: rows of 34 floats are read as float2.
#include "harness/simt/tests/kernel_test.h"

__global__ void float2_of_even_rows_kernel(float* out, const float* x) {
  const float2 v = *reinterpret_cast<const float2*>(x + threadIdx.y * 34 + 2 * threadIdx.x);
  out[threadIdx.y * 16 + threadIdx.x] = v.x + v.y;
}

ASSAY_KERNEL_TEST(float2_of_even_rows) {
  float* const out = output<float>("out", 64);
  const float* const x = input<float>("x", 4 * 34);
  launch_kernel(float2_of_even_rows_kernel, {1, dim3(16, 4)}, out, x);
  return out[63] == x[3 * 34 + 30] + x[3 * 34 + 31] ? "" : "a sum is wrong";
}
