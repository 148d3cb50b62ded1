// EXPECT: OUT_OF_BOUNDS: an embedding looks up a padding token that is one past the last row of the table.
// SAYS: table[480]: read by thread (0,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void token_past_the_table_kernel(float* out, const float* table, const int* tokens) {
  out[blockIdx.x * 16 + threadIdx.x] = table[tokens[blockIdx.x] * 16 + threadIdx.x];  // HERE
}

ASSAY_KERNEL_TEST(token_past_the_table) {
  launch_kernel(token_past_the_table_kernel, {31, 16}, output<float>("out", 31 * 16), input<float>("table", 30 * 16),
                input<int>("tokens", 31));
  return "";
}
