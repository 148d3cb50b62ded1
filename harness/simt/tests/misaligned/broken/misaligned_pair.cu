// EXPECT: MISALIGNED: pairs of floats are written from an odd element on.
// CLANG: not seen
// SAYS: out[1]: write by thread (0,0,0) (misaligned_pair.cu:7), through a pointer to
#include "harness/simt/tests/kernel_test.h"

__global__ void misaligned_pair_kernel(float* out) {
  *reinterpret_cast<float2*>(out + 1 + 2 * threadIdx.x) = make_float2(1.0f, 2.0f);  // HERE
}

ASSAY_KERNEL_TEST(misaligned_pair) {
  launch_kernel(misaligned_pair_kernel, {1, 8}, output<float>("out", 17));
  return "";
}
