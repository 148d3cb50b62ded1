// EXPECT: RACE: a shift by one in place reads the first bfloat16 of the next block, which that block overwrites.
// SAYS: data[32]
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void bfloat16_shift_in_place_kernel(__nv_bfloat16* data) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const __nv_bfloat16 next = data[i + 1];  // HERE
  __syncthreads();
  data[i] = next;  // HERE
}

ASSAY_KERNEL_TEST(bfloat16_shift_in_place) {
  launch_kernel(bfloat16_shift_in_place_kernel, {4, 32}, accumulated<__nv_bfloat16>("data", 129));
  return "";
}
