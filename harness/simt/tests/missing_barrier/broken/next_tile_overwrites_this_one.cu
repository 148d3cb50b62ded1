// EXPECT: RACE: a matrix product loads its next tiles while other threads still multiply the last ones.
#include "harness/simt/tests/kernel_test.h"

__global__ void next_tile_overwrites_this_one_kernel(float* c, const float* a, const float* b, int depth) {
  __shared__ float as[16][16], bs[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int k = 0; k < depth; k += 16) {
    as[y][x] = a[y * depth + k + x];  // HERE
    bs[y][x] = b[(k + y) * 16 + x];   // HERE
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[y][i] * bs[i][x];  // HERE
  }
  c[y * 16 + x] = sum;
}

ASSAY_KERNEL_TEST(next_tile_overwrites_this_one) {
  launch_kernel(next_tile_overwrites_this_one_kernel, {1, dim3(16, 16)}, output<float>("c", 256),
                input<float>("a", 16 * 48), input<float>("b", 16 * 48), 48);
  return "";
}
