// EXPECT: PASS: a NaN of the input is compared, added and kept; nothing new is made.
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void largest_with_nan(float* out, const float* in) {
  float largest = -INFINITY;
  for (int i = 0; i < 64; ++i)
    if (in[i] > largest || in[i] != in[i]) largest = in[i] + 1.0f;
  out[threadIdx.x] = fmaxf(largest, 2.0f) + static_cast<float>(static_cast<int>(in[threadIdx.x]));
}

ASSAY_KERNEL_TEST(passes_nan_on) {
  std::vector<float> in(64, 1.0f), out(32);
  in[5] = NAN;
  launch_kernel(largest_with_nan, {1, 32}, out.data(), in.data());
  return out[0] == 3.0f ? "" : "the maximum is wrong";
}
