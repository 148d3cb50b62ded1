// EXPECT: PASS: all rows are filled before the matrix is loaded; lanes without a row have no address.
#include "harness/simt/include/simt/ldmatrix.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void ldmatrix_of_written_rows_kernel(uint32_t* out, const uint16_t* in) {
  __shared__ __align__(16) uint16_t tile[8][8];
  const int t = threadIdx.x;
  if (t < 8)
    for (int i = 0; i < 8; ++i) tile[t][i] = in[8 * t + i];
  __syncthreads();
  if (t >= 32) return;
  uint32_t r[1];
  assay::simt::ldmatrix_x1(r, t < 8 ? tile[t] : nullptr);
  out[t] = r[0];
}

ASSAY_KERNEL_TEST(ldmatrix_of_written_rows) {
  launch_kernel(ldmatrix_of_written_rows_kernel, {1, 64}, output<uint32_t>("out", 32), input<uint16_t>("in", 128));
  return "";
}
