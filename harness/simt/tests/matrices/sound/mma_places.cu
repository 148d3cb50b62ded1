// EXPECT: PASS: every element of a fragment, one at a time, is where the PTX manual says.
// RUNS IN: fast and checked
#include "harness/simt/tests/mma_kernels.h"

using assay::simt::launch_kernel;

namespace {

using assay::simt::MatrixPlace;
using namespace assay::simt::test;

// The manual's own words: groupID = %laneid >> 2, threadID_in_group = %laneid % 4, and for element i
//   a of .f16 and .bf16   row = groupID           for 0 <= i < 2 || 4 <= i < 6, groupID + 8 otherwise
//                         col = (threadID_in_group * 2) + (i & 0x1), + 8 for i >= 4
//   b of .f16 and .bf16   row = (threadID_in_group * 2) + (i & 0x1), + 8 for i >= 2;  col = groupID
//   c and d               row = groupID for i < 2, groupID + 8 otherwise;  col = (threadID_in_group * 2) + (i & 0x1)
//   a of .tf32            row = groupID for a0 and a2, groupID + 8 for a1 and a3
//                         col = threadID_in_group for a0 and a1, threadID_in_group + 4 for a2 and a3
//   b of .tf32            row = threadID_in_group for b0, threadID_in_group + 4 for b1;  col = groupID
constexpr bool same(MatrixPlace place, int row, int col) { return place.row == row && place.col == col; }

constexpr bool follows_the_manual() {
  bool right = true;
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane >> 2, thread = lane % 4;
    for (int i = 0; i < 8; ++i) {
      const bool upper = (0 <= i && i < 2) || (4 <= i && i < 6);
      const int col = (thread * 2) + (i & 0x1);
      right = right && same(assay::simt::place_in_a(lane, i), upper ? group : group + 8, i >= 4 ? col + 8 : col);
    }
    for (int i = 0; i < 4; ++i) {
      const int pair = (thread * 2) + (i & 0x1);
      right = right && same(assay::simt::place_in_b(lane, i), i >= 2 ? pair + 8 : pair, group);
      right = right && same(assay::simt::place_in_d(lane, i), i < 2 ? group : group + 8, pair);
      right = right && same(assay::simt::place_in_a_tf32(lane, i), i == 0 || i == 2 ? group : group + 8,
                            i < 2 ? thread : thread + 4);
    }
    for (int i = 0; i < 2; ++i)
      right = right && same(assay::simt::place_in_b_tf32(lane, i), i == 0 ? thread : thread + 4, group);
  }
  return right;
}
static_assert(follows_the_manual());

// Block e multiplies the matrix whose only element is a 1 at fragment element e by one whose elements all differ.
template <class Shape, bool unit_in_a>
__global__ void units(float* out) {
  const int lane = threadIdx.x, count = (unit_in_a ? Shape::kOfA : Shape::kOfB);
  const int unit_lane = blockIdx.x / count, unit = blockIdx.x % count;
  multiply<Shape>(
      out + blockIdx.x * 16 * 8,
      [&](int i) {
        const MatrixPlace at = Shape::in_a(lane, i);
        return unit_in_a ? (lane == unit_lane && i == unit ? 1.0f : 0.0f) : 1.0f + at.row * Shape::kK + at.col;
      },
      [&](int i) {
        const MatrixPlace at = Shape::in_b(lane, i);
        return !unit_in_a ? (lane == unit_lane && i == unit ? 1.0f : 0.0f) : 1.0f + at.row * 8 + at.col;
      });
}

template <class Shape, bool unit_in_a>
bool places_are_right() {
  const int count = unit_in_a ? Shape::kOfA : Shape::kOfB;
  std::vector<float> out(32 * count * 16 * 8);
  launch_kernel(units<Shape, unit_in_a>, {32u * count, 32}, out.data());
  for (int e = 0; e < 32 * count; ++e) {
    const MatrixPlace unit = unit_in_a ? Shape::in_a(e / count, e % count) : Shape::in_b(e / count, e % count);
    for (int row = 0; row < 16; ++row)
      for (int col = 0; col < 8; ++col) {
        const float expected = unit_in_a ? (row == unit.row ? 1.0f + unit.col * 8 + col : 0)
                                         : (col == unit.col ? 1.0f + row * Shape::kK + unit.row : 0);
        if (out[(e * 16 + row) * 8 + col] != expected) return false;
      }
  }
  return true;
}

template <class Shape>
bool both_are_right() {
  return places_are_right<Shape, true>() && places_are_right<Shape, false>();
}

}  // namespace

ASSAY_KERNEL_TEST(mma_places) {
  if (!both_are_right<M16n8k16<__half>>()) return "m16n8k16 f16";
  if (!both_are_right<M16n8k16<__nv_bfloat16>>()) return "m16n8k16 bf16";
  if (!both_are_right<M16n8k8<__half>>()) return "m16n8k8 f16";
  if (!both_are_right<M16n8k8<__nv_bfloat16>>()) return "m16n8k8 bf16";
  if (!both_are_right<M16n8k8Tf32>()) return "m16n8k8 tf32";
  return "";
}
