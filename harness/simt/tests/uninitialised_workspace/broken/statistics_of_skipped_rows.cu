// EXPECT: UNINITIALISED: a forward saves the inverse deviation of valid rows only, and the backward reads all.
// SAYS: rstd[6]: read by thread (0,0,0)
#include <cuda_bf16.h>

#include "harness/simt/tests/kernel_test.h"

__global__ void statistics_of_skipped_rows_forward_kernel(__nv_bfloat16* rstd, const float* x, int valid) {
  if (threadIdx.x < valid) rstd[threadIdx.x] = __float2bfloat16(rsqrtf(x[threadIdx.x] + 1));
}
__global__ void statistics_of_skipped_rows_kernel(float* dx, const float* dy, const __nv_bfloat16* rstd) {
  const int i = blockIdx.x * 8 + threadIdx.x;
  dx[i] = dy[i] * __bfloat162float(rstd[blockIdx.x]);  // HERE
}

ASSAY_KERNEL_TEST(statistics_of_skipped_rows) {
  __nv_bfloat16* const rstd = output<__nv_bfloat16>("rstd", 8);
  launch_kernel(statistics_of_skipped_rows_forward_kernel, {1, 8}, rstd, input<float>("x", 8), 6);
  launch_kernel(statistics_of_skipped_rows_kernel, {8, 8}, output<float>("dx", 64), input<float>("dy", 64), rstd);
  return "";
}
