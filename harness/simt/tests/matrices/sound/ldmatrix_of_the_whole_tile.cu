// EXPECT: PASS: two matrices are loaded from a tile that holds two.
#include "harness/simt/include/simt/ldmatrix.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void ldmatrix_of_the_whole_tile_kernel(uint32_t* out, const uint16_t* in) {
  __shared__ __align__(16) uint16_t tile[16][8];
  const int t = threadIdx.x;
  if (t < 16)
    for (int i = 0; i < 8; ++i) tile[t][i] = in[8 * t + i];
  __syncthreads();
  if (t >= 32) return;
  uint32_t r[2];
  assay::simt::ldmatrix_x2(r, tile[0] + t % 16 * 8);
  out[t] = r[0] + r[1];
}

ASSAY_KERNEL_TEST(ldmatrix_of_the_whole_tile) {
  launch_kernel(ldmatrix_of_the_whole_tile_kernel, {1, 64}, output<uint32_t>("out", 32), input<uint16_t>("in", 128));
  return "";
}
