// EXPECT: OUT_OF_BOUNDS: a write uses the row stride of a far wider tensor and goes to where other buffers lie.
// SAYS: write by thread (0,0,0)
#include "harness/simt/tests/kernel_test.h"

__global__ void strides_of_the_wrong_tensor_kernel(float* out, const float* in, int stride) {
  out[blockIdx.x * stride + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];  // HERE
}

ASSAY_KERNEL_TEST(strides_of_the_wrong_tensor) {
  float* const out = output<float>("out", 256);
  launch_kernel(strides_of_the_wrong_tensor_kernel, {4, 64}, out, input<float>("in", 256), 150000);
  return "";
}
