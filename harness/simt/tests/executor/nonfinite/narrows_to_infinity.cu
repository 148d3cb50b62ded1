// EXPECT: PASS: thread 9 narrows 70000 to half, thread 2 an infinity that came as input.
#include <cuda_fp16.h>

#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

__global__ void narrow(__half* out, const float* in) { out[threadIdx.x] = __float2half(in[threadIdx.x]); }

ASSAY_KERNEL_TEST(narrows_to_infinity) {
  std::vector<float> in(32, 1.0f);
  std::vector<__half> out(32);
  in[2] = INFINITY;
  in[9] = 70000.0f;
  launch_kernel(narrow, {1, 32}, out.data(), in.data());
  return "";
}
