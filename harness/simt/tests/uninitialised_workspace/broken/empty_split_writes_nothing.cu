// EXPECT: UNINITIALISED: a split without work returns early, and the second launch adds its part all the same.
// SAYS: parts[96]: read by thread (0,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void empty_split_writes_nothing_split_kernel(float* parts, const float* x, int n, int chunk) {
  const int first = blockIdx.x * chunk;
  if (first >= n) return;
  float sum = 0;
  for (int i = first; i < n && i < first + chunk; ++i) sum += x[i * 32 + threadIdx.x];
  parts[blockIdx.x * 32 + threadIdx.x] = sum;
}
__global__ void empty_split_writes_nothing_kernel(float* out, const float* parts, int splits) {
  float sum = 0;
  for (int i = 0; i < splits; ++i) sum += parts[i * 32 + threadIdx.x];  // HERE
  out[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(empty_split_writes_nothing) {
  float* const parts = output<float>("parts", 128);
  launch_kernel(empty_split_writes_nothing_split_kernel, {4, 32}, parts, input<float>("x", 9 * 32), 9, 3);
  launch_kernel(empty_split_writes_nothing_kernel, {1, 32}, output<float>("out", 32), parts, 4);
  return "";
}
