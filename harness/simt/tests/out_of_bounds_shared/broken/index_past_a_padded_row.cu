// EXPECT: OUT_OF_BOUNDS: a difference over two columns runs past the padding of a tile's row.
// SAYS: index 33 of 'float
#include "harness/simt/tests/kernel_test.h"

__global__ void index_past_a_padded_row_kernel(float* out, const float* in) {
  __shared__ float tile[32][33];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 32 + x];
  if (x == 0) tile[y][32] = 0;
  __syncthreads();
  if (y == 31) return;
  out[y * 32 + x] = tile[y][x + 2] - tile[y][x];  // HERE
}

ASSAY_KERNEL_TEST(index_past_a_padded_row) {
  launch_kernel(index_past_a_padded_row_kernel, {1, dim3(32, 32)}, output<float>("out", 1024),
                input<float>("in", 1024));
  return "";
}
