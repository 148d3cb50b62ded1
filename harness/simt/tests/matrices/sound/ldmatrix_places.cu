// EXPECT: PASS: ldmatrix in all six forms gives each lane the elements that the PTX manual names, from rows anywhere.
// RUNS IN: fast and checked
#include "harness/simt/include/simt/ldmatrix.h"
#include "harness/simt/tests/kernel_test.h"

using assay::simt::launch_kernel;

namespace {

constexpr int kRows = 32, kStride = 24;  // of the tile; rows are 16 bytes and lie 48 apart

// out: (6, 32, 4). The tile's element (row, col) is 100 row + col; matrix m takes rows 8 m + 7, 8 m + 6, …, 8 m.
__global__ void ldmatrix_places_kernel(uint32_t* out) {
  __shared__ __align__(16) uint16_t tile[kRows * kStride];
  const int lane = threadIdx.x;
  for (int i = lane; i < kRows * kStride; i += 32) tile[i] = static_cast<uint16_t>(i / kStride * 100 + i % kStride);
  __syncwarp();
  const uint16_t* const row = &tile[(lane / 8 * 8 + 7 - lane % 8) * kStride];
  // Addresses beyond the last matrix may be anything.
  const void* const only_2 = lane < 16 ? row : nullptr;
  const void* const only_1 = lane < 8 ? row : nullptr;
  uint32_t r[6][4] = {};
  assay::simt::ldmatrix_x1(r[0], only_1);
  assay::simt::ldmatrix_x2(r[1], only_2);
  assay::simt::ldmatrix_x4(r[2], row);
  assay::simt::ldmatrix_x1_trans(r[3], only_1);
  assay::simt::ldmatrix_x2_trans(r[4], only_2);
  assay::simt::ldmatrix_x4_trans(r[5], row);
  for (int form = 0; form < 6; ++form)
    for (int i = 0; i < 4; ++i) out[(form * 32 + lane) * 4 + i] = r[form][i];
}

}  // namespace

ASSAY_KERNEL_TEST(ldmatrix_places) {
  std::vector<uint32_t> out(6 * 32 * 4);
  launch_kernel(ldmatrix_places_kernel, {1, 32}, out.data());
  const auto element = [](int matrix, int row, int col) {
    return static_cast<uint32_t>((matrix * 8 + 7 - row) * 100 + col);
  };
  for (int form = 0; form < 6; ++form)
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i) {
        const int row = lane / 4, col = lane % 4 * 2;
        const uint32_t plain = element(i, row, col) | element(i, row, col + 1) << 16;
        const uint32_t transposed = element(i, col, row) | element(i, col + 1, row) << 16;
        const uint32_t expected = i >= 1 << form % 3 ? 0 : form < 3 ? plain : transposed;
        if (out[(form * 32 + lane) * 4 + i] != expected) return "a register is wrong";
      }
  return "";
}
