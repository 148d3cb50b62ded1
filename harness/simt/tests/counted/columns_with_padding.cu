// TOTAL: sectors_per_request=4 bank_conflict_max=1 bank_conflict_degree=1
// The same tile with a column more: every lane in a bank of its own.
#include "harness/simt/tests/kernel_test.h"

__global__ void columns_with_padding_kernel(float* out, const float* in) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // LINE: bank_conflict_degree=1
}

ASSAY_KERNEL_TEST(columns_with_padding) {
  launch_kernel(columns_with_padding_kernel, {1, dim3(32, 32)}, output<float>("out", 1024), input<float>("in", 1024));
  return "";
}
