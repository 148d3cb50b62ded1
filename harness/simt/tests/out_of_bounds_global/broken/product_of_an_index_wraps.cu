// EXPECT: OUT_OF_BOUNDS: a product has no room in 32 bits, and its quotient is a negative index.
#include "harness/simt/tests/kernel_test.h"

__global__ void product_of_an_index_wraps_kernel(float* out, const float* in, unsigned n) {
  const int scaled = static_cast<int>(threadIdx.x * n);
  out[threadIdx.x] = in[scaled / static_cast<int>(n)];  // HERE
}

ASSAY_KERNEL_TEST(product_of_an_index_wraps) {
  launch_kernel(product_of_an_index_wraps_kernel, {1, 32}, output<float>("out", 32), input<float>("in", 32), 1u << 27);
  return "";
}
