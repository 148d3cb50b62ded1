// TOTAL: bytes_read=1024 bank_conflict_max=8
// A cp.async reads sectors and writes banks, ldmatrix reads banks: 8 rows of a matrix at a time, here 16 and 128 bytes
// apart.
#include "harness/simt/include/simt/async_copy.h"
#include "harness/simt/include/simt/ldmatrix.h"
#include "harness/simt/tests/kernel_test.h"

__global__ void copies_and_matrices_kernel(uint32_t* out, const uint16_t* in) {
  __shared__ __align__(16) uint16_t dense[32][8], wide[32][64];
  const int lane = threadIdx.x;
  assay::simt::cp_async<16>(dense[lane], &in[8 * lane]);  // LINE: sectors_per_request=16 bank_conflict_degree=1
  assay::simt::cp_async<16>(wide[lane], &in[8 * lane]);   // LINE: requests=1 bank_conflict_degree=8
  assay::simt::cp_async_wait_all();
  __syncwarp();
  uint32_t a[4], b[4];
  assay::simt::ldmatrix_x4(a, dense[lane]);  // LINE: bank_conflict_degree=1
  assay::simt::ldmatrix_x4(b, wide[lane]);   // LINE: bank_conflict_degree=8
  out[lane] = a[0] + b[0];
}

ASSAY_KERNEL_TEST(copies_and_matrices) {
  launch_kernel(copies_and_matrices_kernel, {1, 32}, output<uint32_t>("out", 32), input<uint16_t>("in", 256));
  return "";
}
