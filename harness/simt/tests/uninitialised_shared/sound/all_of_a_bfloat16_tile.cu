// EXPECT: PASS: each thread loads both bfloat16 of its pair, and another reads them.
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void all_of_a_bfloat16_tile_kernel(float* out, const __nv_bfloat16* in) {
  __shared__ __nv_bfloat16 tile[64];
  const int t = threadIdx.x;
  tile[2 * t] = in[2 * t];
  tile[2 * t + 1] = in[2 * t + 1];
  __syncthreads();
  out[t] = __bfloat162float(tile[62 - 2 * t]) + __bfloat162float(tile[63 - 2 * t]);
}

ASSAY_KERNEL_TEST(all_of_a_bfloat16_tile) {
  float* const out = output<float>("out", 32);
  launch_kernel(all_of_a_bfloat16_tile_kernel, {1, 32}, out, input<__nv_bfloat16>("in", 64));
  return out[31] == 7 && out[0] == 62 * 7 % 31 + 63 * 7 % 31 ? "" : "a sum is wrong";
}
