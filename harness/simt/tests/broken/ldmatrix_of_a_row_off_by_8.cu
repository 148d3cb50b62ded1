// EXPECT: MISALIGNED: rows of 24 bytes, so every second one starts where ldmatrix may not read.
#include "harness/simt/tests/kernel_test.h"
#include "kernels/device/ldmatrix.cuh"

using assay::simt::launch_kernel;

__global__ void ldmatrix_of_a_row_off_by_8_kernel(uint32_t* out) {
  __shared__ __align__(16) uint16_t tile[8 * 12];
  for (int i = threadIdx.x; i < 8 * 12; i += 32) tile[i] = 1;
  __syncwarp();
  uint32_t r[1];
  assay::device::ldmatrix_x1(r, &tile[threadIdx.x % 8 * 12]);
  out[threadIdx.x] = r[0];
}

ASSAY_KERNEL_TEST(ldmatrix_of_a_row_off_by_8) {
  std::vector<uint32_t> out(32);
  launch_kernel(ldmatrix_of_a_row_off_by_8_kernel, {1, 32}, out.data());
  return "";
}
