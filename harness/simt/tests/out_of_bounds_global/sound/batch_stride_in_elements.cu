// EXPECT: PASS: a batch stride in elements moves a pointer to floats.
#include "harness/simt/tests/kernel_test.h"

__global__ void batch_stride_in_elements_kernel(float* out, const float* in, size_t stride) {
  out[blockIdx.x * stride + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];
}

ASSAY_KERNEL_TEST(batch_stride_in_elements) {
  float* const out = output<float>("out", 256);
  const float* const in = input<float>("in", 256);
  launch_kernel(batch_stride_in_elements_kernel, {4, 64}, out, in, 64);
  return out[255] == in[255] ? "" : "a value is wrong";
}
