// EXPECT: OUT_OF_BOUNDS: a null pointer where a buffer should be.
// UNCHECKED: crashes
// SAYS: which is in no buffer
#include "harness/simt/tests/kernel_test.h"

__global__ void null_pointer_kernel(float* out, const float* in) { out[threadIdx.x] = in[threadIdx.x]; }  // HERE

ASSAY_KERNEL_TEST(null_pointer) {
  launch_kernel(null_pointer_kernel, {1, 32}, output<float>("out", 32), static_cast<const float*>(nullptr));
  return "";
}
