// TOTAL: sectors_per_request=4 bank_conflict_max=32 bank_conflict_degree=16.5
// TOTAL: barriers_per_block=1 threads_per_block=1024
// Lanes go down a column of 32 words: all in one bank.
#include "harness/simt/tests/kernel_test.h"

__global__ void columns_of_a_tile_kernel(float* out, const float* in) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];  // LINE: bank_conflict_degree=1
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // LINE: bank_conflict_degree=32
}

ASSAY_KERNEL_TEST(columns_of_a_tile) {
  launch_kernel(columns_of_a_tile_kernel, {1, dim3(32, 32)}, output<float>("out", 1024), input<float>("in", 1024));
  return "";
}
