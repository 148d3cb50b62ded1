// EXPECT: PASS: a shift by one writes to another buffer than it reads.
#include "harness/simt/tests/kernel_test.h"

__global__ void shift_to_another_buffer_kernel(float* out, const float* in) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  out[i] = in[i + 1];
}

ASSAY_KERNEL_TEST(shift_to_another_buffer) {
  float* const out = output<float>("out", 128);
  const float* const in = input<float>("in", 129);
  launch_kernel(shift_to_another_buffer_kernel, {4, 32}, out, in);
  for (int i = 0; i < 128; ++i)
    if (out[i] != in[i + 1]) return "a value is wrong";
  return "";
}
