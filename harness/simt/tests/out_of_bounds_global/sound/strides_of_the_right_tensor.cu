// EXPECT: PASS: reads and writes use the row strides of their own tensors, one of them far wider.
#include "harness/simt/tests/kernel_test.h"

__global__ void strides_of_the_right_tensor_kernel(float* out, const float* in, int stride) {
  out[blockIdx.x * 64 + threadIdx.x] = in[blockIdx.x * stride + threadIdx.x];
}

ASSAY_KERNEL_TEST(strides_of_the_right_tensor) {
  float* const out = output<float>("out", 256);
  const float* const in = input<float>("in", 3 * 150000 + 64);
  launch_kernel(strides_of_the_right_tensor_kernel, {4, 64}, out, in, 150000);
  return out[255] == in[3 * 150000 + 63] ? "" : "a value is wrong";
}
