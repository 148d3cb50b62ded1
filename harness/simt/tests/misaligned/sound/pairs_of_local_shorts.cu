// EXPECT: PASS: arrays of a thread's own are read as pairs, wherever a compiler has put them.
#include "harness/simt/tests/kernel_test.h"

__global__ void pairs_of_local_shorts_kernel(float2* out, const short* in) {
  short first[4], between[3], second[4];
  for (int i = 0; i < 4; ++i) first[i] = in[4 * threadIdx.x + i], second[i] = first[i];
  for (int i = 0; i < 3; ++i) between[i] = in[i];
  const float2 one = *reinterpret_cast<const float2*>(first);
  const float2 other = *reinterpret_cast<const float2*>(second);
  out[threadIdx.x] = make_float2(one.x, other.y + static_cast<float>(between[threadIdx.x % 3]));
}

ASSAY_KERNEL_TEST(pairs_of_local_shorts) {
  launch_kernel(pairs_of_local_shorts_kernel, {1, 8}, output<float2>("out", 8), input<short>("in", 32));
  return "";
}
