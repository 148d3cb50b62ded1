// EXPECT: PASS: the blocks of a layernorm backward write a row of partial gradients each, and a second launch adds
// them.
#include "harness/simt/tests/kernel_test.h"

__global__ void weight_gradient_in_two_launches_partial_kernel(float* partial, const float* dy, const float* x) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  partial[i] = dy[i] * x[i];
}
__global__ void weight_gradient_in_two_launches_kernel(float* dgamma, const float* partial, int rows) {
  float sum = 0;
  for (int row = 0; row < rows; ++row) sum += partial[row * 64 + threadIdx.x];
  dgamma[threadIdx.x] = sum;
}

ASSAY_KERNEL_TEST(weight_gradient_in_two_launches) {
  float *const dgamma = output<float>("dgamma", 64), *const partial = output<float>("partial", 512);
  const float *const dy = input<float>("dy", 512), *const x = input<float>("x", 512);
  launch_kernel(weight_gradient_in_two_launches_partial_kernel, {8, 64}, partial, dy, x);
  launch_kernel(weight_gradient_in_two_launches_kernel, {1, 64}, dgamma, partial, 8);
  float expected = 0;
  for (int row = 0; row < 8; ++row) expected += dy[row * 64 + 5] * x[row * 64 + 5];
  return dgamma[5] == expected ? "" : "a gradient is wrong";
}
