// EXPECT: PASS: a shift by one in place stays in the elements of the block.
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void bfloat16_shift_within_blocks_kernel(__nv_bfloat16* data) {
  const int t = threadIdx.x, first = blockIdx.x * 31;
  const __nv_bfloat16 next = data[first + (t + 1) % 31];
  __syncthreads();
  data[first + t] = next;
}

ASSAY_KERNEL_TEST(bfloat16_shift_within_blocks) {
  __nv_bfloat16* const data = accumulated<__nv_bfloat16>("data", 124);
  data[31] = __float2bfloat16(5.0f);
  launch_kernel(bfloat16_shift_within_blocks_kernel, {4, 31}, data);
  return __bfloat162float(data[61]) == 5 && __bfloat162float(data[31]) == 0 ? "" : "a value is wrong";
}
