// EXPECT: OUT_OF_BOUNDS: the first thread writes a 16-bit element before the start of a buffer.
// SAYS: out[-1]: write by thread (0,0,0)
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void writes_before_the_start_kernel(__nv_bfloat16* out) {
  out[static_cast<int>(threadIdx.x) - 1] = __float2bfloat16(1.0f);  // HERE
}

ASSAY_KERNEL_TEST(writes_before_the_start) {
  launch_kernel(writes_before_the_start_kernel, {1, 32}, output<__nv_bfloat16>("out", 33));
  return "";
}
