// EXPECT: OUT_OF_BOUNDS: a column index runs into the next row of a two-dimensional array.
// SAYS: index 32 of 'float
// SAYS: (column_past_its_row.cu:
#include "harness/simt/tests/kernel_test.h"

__global__ void column_past_its_row_kernel(float* out) {
  __shared__ float tile[33][32];
  tile[threadIdx.y][threadIdx.x] = 1.0f;
  if (threadIdx.y == 0) tile[32][threadIdx.x] = 1.0f;
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y][threadIdx.x + 1];  // HERE
}

ASSAY_KERNEL_TEST(column_past_its_row) {
  launch_kernel(column_past_its_row_kernel, {1, dim3(32, 32)}, output<float>("out", 1024));
  return "";
}
