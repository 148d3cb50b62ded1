// EXPECT: RACE: blocks add the gradients of equal tokens to one row of the table by plain additions.
// SAYS: table[0]
#include "harness/simt/tests/kernel_test.h"

__global__ void embedding_gradient_added_plainly_kernel(float* table, const int* tokens, const float* dy) {
  table[tokens[blockIdx.x] / 8 * 32 + threadIdx.x] += dy[blockIdx.x * 32 + threadIdx.x];  // HERE
}

ASSAY_KERNEL_TEST(embedding_gradient_added_plainly) {
  launch_kernel(embedding_gradient_added_plainly_kernel, {16, 32}, accumulated<float>("table", 4 * 32),
                input<int>("tokens", 16), input<float>("dy", 512));
  return "";
}
