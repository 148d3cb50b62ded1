// EXPECT: MISALIGNED: a slice that starts at the second element of a tensor is read as float4.
// CLANG: not seen
// UNCHECKED: crashes
// SAYS: x[2]: read
#include "harness/simt/tests/kernel_test.h"

__global__ void slice_read_as_float4_kernel(float* out, const float* x) {
  const float4 v = reinterpret_cast<const float4*>(x)[threadIdx.x];  // HERE
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

ASSAY_KERNEL_TEST(slice_read_as_float4) {
  launch_kernel(slice_read_as_float4_kernel, {1, 8}, output<float>("out", 8), input<float>("x", 36) + 2);
  return "";
}
