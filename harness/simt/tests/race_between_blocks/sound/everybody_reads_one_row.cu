// EXPECT: PASS: all threads of all blocks read one row and one another's shared values, and nobody writes them.
#include "harness/simt/tests/kernel_test.h"

__global__ void everybody_reads_one_row_kernel(float* out, const float* row, float* table) {
  __shared__ float copy[32];
  if (threadIdx.x < 32) copy[threadIdx.x] = row[threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 32; ++i) sum += copy[i] * row[i] + table[i];
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(everybody_reads_one_row) {
  float* const out = output<float>("out", 256);
  const float* const row = input<float>("row", 32);
  launch_kernel(everybody_reads_one_row_kernel, {4, 64}, out, row, accumulated<float>("table", 32));
  float sum = 0;
  for (int i = 0; i < 32; ++i) sum += row[i] * row[i];
  return out[0] == sum && out[255] == sum ? "" : "a sum is wrong";
}
