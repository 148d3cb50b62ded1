// EXPECT: PASS: one warp fills a tile, the other loads it as a matrix behind a barrier.
#include "harness/simt/include/simt/ldmatrix.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void ldmatrix_behind_a_barrier_kernel(uint32_t* out, const uint16_t* in) {
  __shared__ __align__(16) uint16_t tile[8][8];
  const int t = threadIdx.x;
  if (t >= 32) tile[(t - 32) / 4][t % 4 * 2] = tile[(t - 32) / 4][t % 4 * 2 + 1] = in[t];
  __syncthreads();
  if (t >= 32) return;
  uint32_t r[1];
  assay::simt::ldmatrix_x1(r, tile[t % 8]);
  out[t] = r[0];
}

ASSAY_KERNEL_TEST(ldmatrix_behind_a_barrier) {
  launch_kernel(ldmatrix_behind_a_barrier_kernel, {1, 64}, output<uint32_t>("out", 32), input<uint16_t>("in", 128));
  return "";
}
