// EXPECT: PASS: thread 3 exponentiates a large number, inside the C library.
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void exponential(float* out, const float* in) {
  const unsigned i = threadIdx.x;
  out[i] = expf(in[i]);
}

ASSAY_KERNEL_TEST(makes_infinity) {
  std::vector<float> in(32, 1.0f), out(32);
  in[3] = 1000.0f;
  launch_kernel(exponential, {1, 32}, out.data(), in.data());
  return "";
}
