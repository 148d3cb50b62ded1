// EXPECT: PASS: rows are padded to 16 elements, so all of them are aligned.
// RUNS IN: fast and checked
#include "harness/simt/include/simt/ldmatrix.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void ldmatrix_of_rows_of_32_bytes_kernel(uint32_t* out, const uint16_t* in) {
  __shared__ __align__(16) uint16_t tile[8][16];
  const int t = threadIdx.x;
  if (t < 8)
    for (int i = 0; i < 8; ++i) tile[t][i] = in[8 * t + i];
  __syncthreads();
  if (t >= 32) return;
  uint32_t r[1];
  assay::simt::ldmatrix_x1(r, tile[t % 8]);
  out[t] = r[0];
}

ASSAY_KERNEL_TEST(ldmatrix_of_rows_of_32_bytes) {
  launch_kernel(ldmatrix_of_rows_of_32_bytes_kernel, {1, 64}, output<uint32_t>("out", 32), input<uint16_t>("in", 128));
  return "";
}
