// EXPECT: MISALIGNED: rows of 33 floats are read as float4.
// CLANG: not seen
// UNCHECKED: crashes
// SAYS: whose address is no multiple of 16
// SAYS: (misaligned_vector.cu:
#include "harness/simt/tests/kernel_test.h"

__global__ void misaligned_vector_kernel(float4* out, const float* in) {
  out[threadIdx.x] = *reinterpret_cast<const float4*>(in + 33 * threadIdx.x);  // HERE
}

ASSAY_KERNEL_TEST(misaligned_vector) {
  launch_kernel(misaligned_vector_kernel, {1, 8}, output<float4>("out", 8), input<float>("in", 264));
  return "";
}
