// EXPECT: PASS: the product has room in 32 bits.
#include "harness/simt/tests/kernel_test.h"

__global__ void product_of_an_index_fits_kernel(float* out, const float* in, unsigned n) {
  const int scaled = static_cast<int>(threadIdx.x * n);
  out[threadIdx.x] = in[scaled / static_cast<int>(n)];
}

ASSAY_KERNEL_TEST(product_of_an_index_fits) {
  launch_kernel(product_of_an_index_fits_kernel, {1, 32}, output<float>("out", 32), input<float>("in", 32), 1u << 20);
  return "";
}
