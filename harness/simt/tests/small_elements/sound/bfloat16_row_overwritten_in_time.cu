// EXPECT: PASS: a row of bfloat16 is loaded for the next round when all threads have read this one.
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void bfloat16_row_overwritten_in_time_kernel(float* out, const __nv_bfloat16* in, int rounds) {
  __shared__ __nv_bfloat16 row[64];
  const int t = threadIdx.x;
  float sum = 0;
  for (int i = 0; i < rounds; ++i) {
    row[t] = in[i * 64 + t];
    __syncthreads();
    for (int j = 0; j < 64; j += 8) sum += __bfloat162float(row[(t + j) % 64]);
    __syncthreads();
  }
  out[t] = sum;
}

ASSAY_KERNEL_TEST(bfloat16_row_overwritten_in_time) {
  float* const out = output<float>("out", 64);
  const __nv_bfloat16* const in = input<__nv_bfloat16>("in", 192);
  launch_kernel(bfloat16_row_overwritten_in_time_kernel, {1, 64}, out, in, 3);
  float expected = 0;
  for (int i = 0; i < 192; i += 8) expected += __bfloat162float(in[i + 3]);
  return out[3] == expected ? "" : "a sum is wrong";
}
