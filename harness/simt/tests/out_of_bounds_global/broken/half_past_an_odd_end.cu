// EXPECT: OUT_OF_BOUNDS: a 16-bit element past an odd count, in the word of the last.
// SAYS: out[31]: write by thread (31,0,0)
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void half_past_an_odd_end_kernel(__nv_bfloat16* out) { out[threadIdx.x] = __float2bfloat16(1.0f); }  // HERE

ASSAY_KERNEL_TEST(half_past_an_odd_end) {
  launch_kernel(half_past_an_odd_end_kernel, {1, 32}, output<__nv_bfloat16>("out", 31));
  return "";
}
