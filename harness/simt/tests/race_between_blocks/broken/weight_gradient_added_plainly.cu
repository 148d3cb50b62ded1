// EXPECT: RACE: the blocks of a layernorm backward, one for each row, add to one weight gradient.
// SAYS: dgamma[0]
#include "harness/simt/tests/kernel_test.h"

__global__ void weight_gradient_added_plainly_kernel(float* dgamma, const float* dy, const float* x) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  const float old = dgamma[threadIdx.x];     // HERE
  dgamma[threadIdx.x] = old + dy[i] * x[i];  // HERE
}

ASSAY_KERNEL_TEST(weight_gradient_added_plainly) {
  launch_kernel(weight_gradient_added_plainly_kernel, {8, 64}, accumulated<float>("dgamma", 64),
                input<float>("dy", 512), input<float>("x", 512));
  return "";
}
