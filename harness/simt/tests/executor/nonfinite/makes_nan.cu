// EXPECT: PASS: thread 7 of block 1 takes the square root of a negative number.
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void square_root(float* out, const float* in) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] < 100.0f) out[i] = sqrtf(in[i]);
}

ASSAY_KERNEL_TEST(makes_nan) {
  std::vector<float> in(96, 4.0f), out(96);
  in[32 + 7] = -1.0f;
  launch_kernel(square_root, {3, 32}, out.data(), in.data());
  return "";
}
