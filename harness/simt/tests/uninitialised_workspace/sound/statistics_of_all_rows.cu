// EXPECT: PASS: a forward saves the inverse deviation of every row, with zeros for rows that are not valid.
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void statistics_of_all_rows_forward_kernel(__nv_bfloat16* rstd, const float* x, int valid) {
  rstd[threadIdx.x] = __float2bfloat16(threadIdx.x < valid ? rsqrtf(x[threadIdx.x] + 1) : 0);
}
__global__ void statistics_of_all_rows_kernel(float* dx, const float* dy, const __nv_bfloat16* rstd) {
  const int i = blockIdx.x * 8 + threadIdx.x;
  dx[i] = dy[i] * __bfloat162float(rstd[blockIdx.x]);
}

ASSAY_KERNEL_TEST(statistics_of_all_rows) {
  __nv_bfloat16* const rstd = output<__nv_bfloat16>("rstd", 8);
  float* const dx = output<float>("dx", 64);
  const float* const dy = input<float>("dy", 64);
  launch_kernel(statistics_of_all_rows_forward_kernel, {1, 8}, rstd, input<float>("x", 8), 6);
  launch_kernel(statistics_of_all_rows_kernel, {8, 8}, dx, dy, rstd);
  return dx[3] == dy[3] && dx[63] == 0 ? "" : "a gradient is wrong";
}
