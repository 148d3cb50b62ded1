// EXPECT: PASS: tiles of 32 columns read a column of both neighbours and write their own 30.
#include "harness/simt/tests/kernel_test.h"

__global__ void tiles_touch_kernel(float* out, const float* in, int n) {
  const int i = blockIdx.x * 30 + static_cast<int>(threadIdx.x) - 1;
  const float mine = i >= 0 && i < n ? in[i] : 0;
  const float left = __shfl_up_sync(0xffffffffu, mine, 1), right = __shfl_down_sync(0xffffffffu, mine, 1);
  if (threadIdx.x > 0 && threadIdx.x < 31 && i < n) out[i] = left + right;
}

ASSAY_KERNEL_TEST(tiles_touch) {
  float* const out = output<float>("out", 122);
  const float* const in = input<float>("in", 122);
  launch_kernel(tiles_touch_kernel, {5, 32}, out, in, 122);
  for (int i = 0; i < 122; ++i)
    if (out[i] != (i > 0 ? in[i - 1] : 0) + (i < 121 ? in[i + 1] : 0)) return "a sum is wrong";
  return "";
}
