// EXPECT: PASS: a difference over two columns stays in a row with two columns of padding.
#include "harness/simt/tests/kernel_test.h"

__global__ void index_in_a_padded_row_kernel(float* out, const float* in) {
  __shared__ float tile[32][34];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 32 + x];
  if (x < 2) tile[y][32 + x] = 0;
  __syncthreads();
  if (y == 31) return;
  out[y * 32 + x] = tile[y][x + 2] - tile[y][x];
}

ASSAY_KERNEL_TEST(index_in_a_padded_row) {
  float* const out = output<float>("out", 1024);
  const float* const in = input<float>("in", 1024);
  launch_kernel(index_in_a_padded_row_kernel, {1, dim3(32, 32)}, out, in);
  return out[5] == in[7] - in[5] && out[31] == -in[31] ? "" : "a difference is wrong";
}
