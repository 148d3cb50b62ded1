// EXPECT: PASS: the last elements of a row, fewer than a float4, are read one by one.
#include "harness/simt/tests/kernel_test.h"

__global__ void vector_tail_by_elements_kernel(float* out, const float* x, int n) {
  const int i = threadIdx.x;
  float sum = 0;
  if (4 * i + 3 < n) {
    const float4 v = reinterpret_cast<const float4*>(x)[i];
    sum = v.x + v.y + v.z + v.w;
  } else {
    for (int j = 4 * i; j < n; ++j) sum += x[j];
  }
  if (4 * i < n) out[i] = sum;
}

ASSAY_KERNEL_TEST(vector_tail_by_elements) {
  float* const out = output<float>("out", 26);
  const float* const x = input<float>("x", 102);
  launch_kernel(vector_tail_by_elements_kernel, {1, 32}, out, x, 102);
  return out[25] == x[100] + x[101] && out[24] == x[96] + x[97] + x[98] + x[99] ? "" : "a sum is wrong";
}
