// EXPECT: OUT_OF_BOUNDS: a tile without a halo is read one column to the left.
// SAYS: index -1 of 'float
#include "harness/simt/tests/kernel_test.h"

__global__ void column_of_a_tile_before_its_start_kernel(float* out, const float* in) {
  __shared__ float tile[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 16 + x];
  __syncthreads();
  if (y > 0) out[y * 16 + x] = tile[y][x] - tile[y][x - 1];  // HERE
}

ASSAY_KERNEL_TEST(column_of_a_tile_before_its_start) {
  launch_kernel(column_of_a_tile_before_its_start_kernel, {1, dim3(16, 16)}, output<float>("out", 256),
                input<float>("in", 256));
  return "";
}
