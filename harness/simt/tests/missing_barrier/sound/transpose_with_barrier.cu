// EXPECT: PASS: a transpose reads columns of its tile when the rows are complete.
#include "harness/simt/tests/kernel_test.h"

__global__ void transpose_with_barrier_kernel(float* out, const float* in) {
  __shared__ float tile[16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 16 + x];
  __syncthreads();
  out[y * 16 + x] = tile[x][y];
}

ASSAY_KERNEL_TEST(transpose_with_barrier) {
  float* const out = output<float>("out", 256);
  const float* const in = input<float>("in", 256);
  launch_kernel(transpose_with_barrier_kernel, {1, dim3(16, 16)}, out, in);
  for (int i = 0; i < 256; ++i)
    if (out[i] != in[i % 16 * 16 + i / 16]) return "a value is wrong";
  return "";
}
