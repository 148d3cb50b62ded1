// EXPECT: RACE: a row of bfloat16 is loaded for the next round while other threads still read this one.
// SAYS: shared row[
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void bfloat16_row_overwritten_too_soon_kernel(float* out, const __nv_bfloat16* in, int rounds) {
  __shared__ __nv_bfloat16 row[64];
  const int t = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < rounds; ++i) {
    row[t] = in[i * 64 + t];  // HERE
    __syncthreads();
    for (int j = 0; j < 64; j += 8) sum += __bfloat162float(row[(t + j) % 64]);  // HERE
  }
  out[t] = sum;
}

ASSAY_KERNEL_TEST(bfloat16_row_overwritten_too_soon) {
  launch_kernel(bfloat16_row_overwritten_too_soon_kernel, {1, 64}, output<float>("out", 64),
                input<__nv_bfloat16>("in", 192), 3);
  return "";
}
