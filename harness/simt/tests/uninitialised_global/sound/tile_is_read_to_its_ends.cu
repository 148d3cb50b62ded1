// EXPECT: PASS: a tile is read up to its last row and column.
#include "harness/simt/tests/kernel_test.h"

__global__ void tile_is_read_to_its_ends_kernel(float* out, float* copy, int rows, int cols) {
  for (int step = 0; step < 32; step += blockDim.y) {
    const int y = threadIdx.y + step;
    if (threadIdx.x < cols && y < rows) out[y * 32 + threadIdx.x] = 1.0f;
  }
  __syncthreads();
  for (int step = 0; step < 32; step += blockDim.y) {
    const int y = threadIdx.y + step;
    copy[y * 32 + threadIdx.x] = out[(y < 20 ? y : 0) * 32 + threadIdx.x];
  }
}

ASSAY_KERNEL_TEST(tile_is_read_to_its_ends) {
  launch_kernel(tile_is_read_to_its_ends_kernel, {1, dim3(32, 8)}, output<float>("out", 1024),
                output<float>("copy", 1024), 20, 32);
  return "";
}
