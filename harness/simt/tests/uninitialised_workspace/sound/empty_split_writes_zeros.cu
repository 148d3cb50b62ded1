// EXPECT: PASS: a split without work writes zeros, and the second launch adds its part.
#include "harness/simt/tests/kernel_test.h"

__global__ void empty_split_writes_zeros_split_kernel(float* parts, const float* x, int n, int chunk) {
  const int first = blockIdx.x * chunk;
  float sum = 0;
  for (int i = first; i < n && i < first + chunk; ++i) sum += x[i * 32 + threadIdx.x];
  parts[blockIdx.x * 32 + threadIdx.x] = sum;
}
__global__ void empty_split_writes_zeros_kernel(float* out, const float* parts, int splits) {
  float sum = 0;
  for (int i = 0; i < splits; ++i) sum += parts[i * 32 + threadIdx.x];
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(empty_split_writes_zeros) {
  float *const parts = output<float>("parts", 128), *const out = output<float>("out", 32);
  const float* const x = input<float>("x", 9 * 32);
  launch_kernel(empty_split_writes_zeros_split_kernel, {4, 32}, parts, x, 9, 3);
  launch_kernel(empty_split_writes_zeros_kernel, {1, 32}, out, parts, 4);
  float expected = 0;
  for (int i = 0; i < 9; ++i) expected += x[i * 32 + 4];
  return out[4] == expected ? "" : "a sum is wrong";
}
