// EXPECT: PASS: a slice that starts at the second element of a tensor is read as float4 where that is aligned.
#include "harness/simt/tests/kernel_test.h"

__global__ void slice_read_from_its_first_aligned_kernel(float* out, const float* x, int n) {
  const int head = (16 - reinterpret_cast<size_t>(x) % 16) % 16 / sizeof(float), t = threadIdx.x;
  float sum = t < head ? x[t] : 0;
  int i = head + 4 * t;
  if (i + 3 < n) {
    const float4 v = *reinterpret_cast<const float4*>(x + i);
    sum += v.x + v.y + v.z + v.w;
  } else {
    for (; i < n; ++i) sum += x[i];
  }
  out[t] = sum;
}

ASSAY_KERNEL_TEST(slice_read_from_its_first_aligned) {
  float* const out = output<float>("out", 16);
  const float* const x = input<float>("x", 36);
  launch_kernel(slice_read_from_its_first_aligned_kernel, {1, 16}, out, x + 2, 33);
  float sum = 0, expected = 0;
  for (int i = 0; i < 16; ++i) sum += out[i];
  for (int i = 2; i < 35; ++i) expected += x[i];
  return sum == expected ? "" : "the sum is wrong";
}
