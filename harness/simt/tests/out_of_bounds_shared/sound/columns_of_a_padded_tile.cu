// EXPECT: PASS: a tile with a padding column, transposed.
#include "harness/simt/tests/kernel_test.h"

__global__ void columns_of_a_padded_tile_kernel(float* out, const float* in) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

ASSAY_KERNEL_TEST(columns_of_a_padded_tile) {
  float* const out = output<float>("out", 1024);
  const float* const in = input<float>("in", 1024);
  launch_kernel(columns_of_a_padded_tile_kernel, {1, dim3(32, 32)}, out, in);
  return out[5 * 32 + 9] == in[9 * 32 + 5] ? "" : "a value is wrong";
}
