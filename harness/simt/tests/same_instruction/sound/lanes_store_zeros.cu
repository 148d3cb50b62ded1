// EXPECT: PASS: lanes store 0 and -0, such as fmaxf makes of both, in all float types, alone and in vectors.
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void lanes_store_zeros_kernel(float* y, __nv_bfloat16* half, double* wide, float4* four) {
  __shared__ float part[2];
  __shared__ float4 parts[2];
  __shared__ __nv_bfloat16 short_part[2];
  const int warp = threadIdx.x / 32;
  const float zero = __uint_as_float(threadIdx.x % 2 << 31);
  part[warp] = zero;
  parts[warp] = {1, zero, -zero, zero};
  short_part[warp] = __float2bfloat16(zero);
  half[warp] = __float2bfloat16(zero);
  wide[warp] = zero;
  four[warp] = {zero, 2, -zero, zero};
  __syncthreads();
  y[threadIdx.x] = part[0] + part[1] + parts[0].x + parts[1].y + __bfloat162float(short_part[0]);
}

ASSAY_KERNEL_TEST(lanes_store_zeros) {
  float *const y = output<float>("y", 64), *const four = output<float>("four", 8);
  launch_kernel(lanes_store_zeros_kernel, {1, 64}, y, output<__nv_bfloat16>("half", 2), output<double>("wide", 2),
                reinterpret_cast<float4*>(four));
  return y[5] == 1 && four[5] == 2 ? "" : "a sum is wrong";
}
