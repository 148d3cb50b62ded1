// EXPECT: PASS: every lane of a warp stores a NaN, whose sign and payload no two of them share.
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void lanes_store_nans_kernel(float* y, __nv_bfloat16* half, double* wide) {
  __shared__ float part[2], from_bf16[2];
  const unsigned payload = threadIdx.x % 32 + 1, sign = threadIdx.x % 2;
  part[threadIdx.x / 32] = __uint_as_float(sign << 31 | 0x7f800000u | payload);
  from_bf16[threadIdx.x / 32] = __uint_as_float(0xffe00000u | payload % 32 << 16);
  half[threadIdx.x / 32] = __ushort_as_bfloat16(static_cast<unsigned short>(sign << 15 | 0x7f80u | payload));
  wide[threadIdx.x / 32] = __hiloint2double(static_cast<int>(sign << 31 | 0x7ff80000u | payload), 0);
  __syncthreads();
  y[threadIdx.x] = part[0] + part[1] + from_bf16[0];
}

ASSAY_KERNEL_TEST(lanes_store_nans) {
  float* const y = output<float>("y", 64);
  launch_kernel(lanes_store_nans_kernel, {1, 64}, y, output<__nv_bfloat16>("half", 2), output<double>("wide", 2));
  return y[5] != y[5] ? "" : "the sum is no NaN";
}
