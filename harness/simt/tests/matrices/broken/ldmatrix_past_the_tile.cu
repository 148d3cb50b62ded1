// EXPECT: OUT_OF_BOUNDS: two matrices are loaded from a tile that holds one.
#include "harness/simt/include/simt/ldmatrix.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void ldmatrix_past_the_tile_kernel(uint32_t* out, const uint16_t* in) {
  __shared__ __align__(16) uint16_t tile[8][8];
  const int t = threadIdx.x;
  if (t < 8)
    for (int i = 0; i < 8; ++i) tile[t][i] = in[8 * t + i];
  __syncthreads();
  if (t >= 32) return;
  uint32_t r[2];
  assay::simt::ldmatrix_x2(r, tile[0] + t % 16 * 8);  // HERE
  out[t] = r[0];
}

ASSAY_KERNEL_TEST(ldmatrix_past_the_tile) {
  launch_kernel(ldmatrix_past_the_tile_kernel, {1, 64}, output<uint32_t>("out", 32), input<uint16_t>("in", 128));
  return "";
}
