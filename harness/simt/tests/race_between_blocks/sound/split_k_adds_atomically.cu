// EXPECT: PASS: the splits of a matrix product add their parts to one output by atomic additions.
#include "harness/simt/tests/kernel_test.h"

__global__ void split_k_adds_atomically_kernel(float* c, const float* a, const float* b, int depth) {
  const int x = threadIdx.x, first = blockIdx.y * depth;
  float sum = 0;
  for (int k = first; k < first + depth; ++k) sum += a[blockIdx.x * depth * gridDim.y + k] * b[k * 32 + x];
  atomicAdd(&c[blockIdx.x * 32 + x], sum);
}

ASSAY_KERNEL_TEST(split_k_adds_atomically) {
  float* const c = accumulated<float>("c", 64);
  const float *const a = input<float>("a", 2 * 16), *const b = input<float>("b", 16 * 32);
  launch_kernel(split_k_adds_atomically_kernel, {dim3(2, 4), 32}, c, a, b, 4);
  float expected = 0;
  for (int k = 0; k < 16; ++k) expected += a[16 + k] * b[k * 32 + 3];
  return c[32 + 3] == expected ? "" : "a product is wrong";
}
