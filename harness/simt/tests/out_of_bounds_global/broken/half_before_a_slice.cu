// EXPECT: OUT_OF_BOUNDS: a 16-bit element before a slice that begins in the middle of a word.
// SAYS: out[-1]: write by thread (0,0,0)
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void half_before_a_slice_kernel(__nv_bfloat16* out) {
  for (int round = 0; round < 3; ++round) out[static_cast<int>(threadIdx.x) - 1] = __float2bfloat16(1.0f);  // HERE
}

ASSAY_KERNEL_TEST(half_before_a_slice) {
  launch_kernel(half_before_a_slice_kernel, {1, 32}, output_slice<__nv_bfloat16>("out", 3, 33));
  return "";
}
