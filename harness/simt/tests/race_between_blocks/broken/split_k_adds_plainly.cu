// EXPECT: RACE: the splits of a matrix product add their parts to one output by plain additions.
#include "harness/simt/tests/kernel_test.h"

__global__ void split_k_adds_plainly_kernel(float* c, const float* a, const float* b, int depth) {
  const int x = threadIdx.x, first = blockIdx.y * depth;
  float sum = 0;
  for (int k = first; k < first + depth; ++k) sum += a[blockIdx.x * depth * gridDim.y + k] * b[k * 32 + x];
  c[blockIdx.x * 32 + x] += sum;  // HERE
}

ASSAY_KERNEL_TEST(split_k_adds_plainly) {
  launch_kernel(split_k_adds_plainly_kernel, {dim3(2, 4), 32}, accumulated<float>("c", 64), input<float>("a", 2 * 16),
                input<float>("b", 16 * 32), 4);
  return "";
}
