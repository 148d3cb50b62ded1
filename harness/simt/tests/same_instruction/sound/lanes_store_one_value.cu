// EXPECT: PASS: every lane of a warp stores the sum that all of them have, in all sizes, and reads it back.
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void lanes_store_one_value_kernel(float* y, __nv_bfloat16* half, float4* four) {
  __shared__ float part[2];
  float sum = threadIdx.x;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
  part[threadIdx.x / 32] = sum;
  y[64 + threadIdx.x] = part[threadIdx.x / 32];
  half[threadIdx.x / 32] = __float2bfloat16(sum);
  four[threadIdx.x / 32] = {sum, sum, 1, 2};
  __syncthreads();
  y[threadIdx.x] = part[0] + part[1];
}

ASSAY_KERNEL_TEST(lanes_store_one_value) {
  float* const y = output<float>("y", 128);
  __nv_bfloat16* const half = output<__nv_bfloat16>("half", 2);
  float* const four = output<float>("four", 8);
  launch_kernel(lanes_store_one_value_kernel, {1, 64}, y, half, reinterpret_cast<float4*>(four));
  return y[5] == 2016 && y[70] == 496 && four[4] == 1520 && float(half[0]) == 496 ? "" : "a sum is wrong";
}
