// EXPECT: PASS: a matrix product loads its next tiles when all threads have multiplied the last ones.
#include "harness/simt/tests/kernel_test.h"

__global__ void next_tile_waits_for_this_one_kernel(float* c, const float* a, const float* b, int depth) {
  __shared__ float as[16][16], bs[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  float sum = 0;
  for (int k = 0; k < depth; k += 16) {
    as[y][x] = a[y * depth + k + x];
    bs[y][x] = b[(k + y) * 16 + x];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[y][i] * bs[i][x];
    __syncthreads();
  }
  c[y * 16 + x] = sum;
}

ASSAY_KERNEL_TEST(next_tile_waits_for_this_one) {
  float* const c = output<float>("c", 256);
  const float *const a = input<float>("a", 16 * 48), *const b = input<float>("b", 16 * 48);
  launch_kernel(next_tile_waits_for_this_one_kernel, {1, dim3(16, 16)}, c, a, b, 48);
  float expected = 0;
  for (int k = 0; k < 48; ++k) expected += a[3 * 48 + k] * b[k * 16 + 5];
  return c[3 * 16 + 5] == expected ? "" : "a product is wrong";
}
