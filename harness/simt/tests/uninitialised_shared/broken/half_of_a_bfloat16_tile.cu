// EXPECT: UNINITIALISED: each thread loads one bfloat16 of its pair, and both are read.
// SAYS: shared tile[
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void half_of_a_bfloat16_tile_kernel(float* out, const __nv_bfloat16* in) {
  __shared__ __nv_bfloat16 tile[64];
  const int t = threadIdx.x;
  tile[2 * t] = in[2 * t];
  __syncthreads();
  out[t] = __bfloat162float(tile[2 * t]) + __bfloat162float(tile[2 * t + 1]);  // HERE
}

ASSAY_KERNEL_TEST(half_of_a_bfloat16_tile) {
  launch_kernel(half_of_a_bfloat16_tile_kernel, {1, 32}, output<float>("out", 32), input<__nv_bfloat16>("in", 64));
  return "";
}
