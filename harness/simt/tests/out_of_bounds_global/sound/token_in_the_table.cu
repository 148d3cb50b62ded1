// EXPECT: PASS: an embedding looks up rows that the table has, its last one too.
#include "harness/simt/tests/kernel_test.h"

__global__ void token_in_the_table_kernel(float* out, const float* table, const int* tokens) {
  out[blockIdx.x * 16 + threadIdx.x] = table[tokens[blockIdx.x] * 16 + threadIdx.x];
}

ASSAY_KERNEL_TEST(token_in_the_table) {
  float* const out = output<float>("out", 31 * 16);
  const float* const table = input<float>("table", 31 * 16);
  launch_kernel(token_in_the_table_kernel, {31, 16}, out, table, input<int>("tokens", 31));
  return out[5] == table[5] && out[16 + 5] == table[7 * 16 + 5] ? "" : "a row is wrong";
}
