// EXPECT: RACE: a transpose reads columns of its tile before the rows are complete.
#include "harness/simt/tests/kernel_test.h"

__global__ void transpose_without_barrier_kernel(float* out, const float* in) {
  __shared__ float tile[16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 16 + x];   // HERE
  out[y * 16 + x] = tile[x][y];  // HERE
}

ASSAY_KERNEL_TEST(transpose_without_barrier) {
  launch_kernel(transpose_without_barrier_kernel, {1, dim3(16, 16)}, output<float>("out", 256),
                input<float>("in", 256));
  return "";
}
