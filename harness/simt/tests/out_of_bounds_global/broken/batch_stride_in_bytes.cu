// EXPECT: OUT_OF_BOUNDS: a batch stride in bytes moves a pointer to floats.
// SAYS: out[
#include "harness/simt/tests/kernel_test.h"

__global__ void batch_stride_in_bytes_kernel(float* out, const float* in, size_t stride) {
  out[blockIdx.x * stride + threadIdx.x] = in[blockIdx.x * 64 + threadIdx.x];  // HERE
}

ASSAY_KERNEL_TEST(batch_stride_in_bytes) {
  launch_kernel(batch_stride_in_bytes_kernel, {4, 64}, output<float>("out", 256), input<float>("in", 256),
                64 * sizeof(float));
  return "";
}
