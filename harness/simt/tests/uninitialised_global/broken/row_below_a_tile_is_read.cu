// EXPECT: UNINITIALISED: a tile is cut at the last row, and others read the next.
#include "harness/simt/tests/kernel_test.h"

__global__ void row_below_a_tile_is_read_kernel(float* out, float* copy, int rows, int cols) {
  for (int step = 0; step < 32; step += blockDim.y) {
    const int y = threadIdx.y + step;
    if (threadIdx.x < cols && y < rows) out[y * 32 + threadIdx.x] = 1.0f;
  }
  __syncthreads();
  for (int step = 0; step < 32; step += blockDim.y) {
    const int y = threadIdx.y + step;
    copy[y * 32 + threadIdx.x] = out[(y < 21 ? y : 0) * 32 + threadIdx.x];  // HERE
  }
}

ASSAY_KERNEL_TEST(row_below_a_tile_is_read) {
  launch_kernel(row_below_a_tile_is_read_kernel, {1, dim3(32, 8)}, output<float>("out", 1024),
                output<float>("copy", 1024), 20, 32);
  return "";
}
