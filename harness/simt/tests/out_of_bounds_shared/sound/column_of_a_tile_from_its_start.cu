// EXPECT: PASS: a tile without a halo is read one column to the left where there is one.
#include "harness/simt/tests/kernel_test.h"

__global__ void column_of_a_tile_from_its_start_kernel(float* out, const float* in) {
  __shared__ float tile[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 16 + x];
  __syncthreads();
  if (y > 0) out[y * 16 + x] = tile[y][x] - (x > 0 ? tile[y][x - 1] : 0.0f);
}

ASSAY_KERNEL_TEST(column_of_a_tile_from_its_start) {
  float* const out = output<float>("out", 256);
  const float* const in = input<float>("in", 256);
  launch_kernel(column_of_a_tile_from_its_start_kernel, {1, dim3(16, 16)}, out, in);
  return out[16] == in[16] && out[17] == in[17] - in[16] ? "" : "a difference is wrong";
}
