// EXPECT: PASS: tiles in shared memory, through ldmatrix and mma, give their product: A by rows, B by columns and rows.
// RUNS IN: fast and checked
#include <cuda_fp16.h>

#include "harness/simt/include/simt/ldmatrix.h"
#include "harness/simt/include/simt/matrix_places.h"
#include "harness/simt/include/simt/mma.h"
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

namespace {

// a: (16, 16), b: (16, 8), d: (2, 16, 8): from B as it lies and from its transpose. Values are small integers, so every
// sum is exact.
__global__ void mma_of_tiles_kernel(float* d, const float* a, const float* b) {
  __shared__ __align__(16) __half tile_a[16][24], tile_b[16][8], columns_of_b[8][24];
  const int lane = threadIdx.x;
  for (int i = lane; i < 16 * 16; i += 32) tile_a[i / 16][i % 16] = a[i];
  for (int i = lane; i < 16 * 8; i += 32) tile_b[i / 8][i % 8] = columns_of_b[i % 8][i / 8] = b[i];
  __syncwarp();
  uint32_t of_a[4], of_b[2][2];
  assay::simt::ldmatrix_x4(of_a, &tile_a[lane % 16][lane / 16 * 8]);
  assay::simt::ldmatrix_x2_trans(of_b[0], &tile_b[lane % 16][0]);
  assay::simt::ldmatrix_x2(of_b[1], &columns_of_b[lane % 8][lane % 16 / 8 * 8]);
  for (int way = 0; way < 2; ++way) {
    float sum[4] = {};
    assay::simt::mma_m16n8k16<__half>(sum, of_a, of_b[way]);
    for (int i = 0; i < 4; ++i) {
      const auto at = assay::simt::place_in_d(lane, i);
      d[(way * 16 + at.row) * 8 + at.col] = sum[i];
    }
  }
}

}  // namespace

ASSAY_KERNEL_TEST(mma_of_tiles) {
  std::vector<float> a(16 * 16), b(16 * 8), d(2 * 16 * 8);
  for (int i = 0; i < 16 * 16; ++i) a[i] = static_cast<float>(i * 7 % 31 - 15);
  for (int i = 0; i < 16 * 8; ++i) b[i] = static_cast<float>(i * 5 % 23 - 11);
  launch_kernel(mma_of_tiles_kernel, {1, 32}, d.data(), a.data(), b.data());
  for (int i = 0; i < 2 * 16 * 8; ++i) {
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += a[i / 8 % 16 * 16 + k] * b[k * 8 + i % 8];
    if (d[i] != sum) return i < 16 * 8 ? "B by rows" : "B by columns";
  }
  return "";
}
