// EXPECT: PASS: blocks add the gradients of equal tokens to one row of the table by atomic additions.
#include "harness/simt/tests/kernel_test.h"

__global__ void embedding_gradient_added_atomically_kernel(float* table, const int* tokens, const float* dy) {
  atomicAdd(&table[tokens[blockIdx.x] / 8 * 32 + threadIdx.x], dy[blockIdx.x * 32 + threadIdx.x]);
}

ASSAY_KERNEL_TEST(embedding_gradient_added_atomically) {
  float* const table = accumulated<float>("table", 4 * 32);
  const int* const tokens = input<int>("tokens", 16);
  const float* const dy = input<float>("dy", 512);
  launch_kernel(embedding_gradient_added_atomically_kernel, {16, 32}, table, tokens, dy);
  float expected = 0;
  for (int i = 0; i < 16; ++i) expected += tokens[i] / 8 == 2 ? dy[i * 32 + 7] : 0;
  return table[2 * 32 + 7] == expected ? "" : "a gradient is wrong";
}
