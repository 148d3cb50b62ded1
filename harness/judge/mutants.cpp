// Mistakes that kernels of any op make.
#include "harness/judge/mutants.h"

#include <algorithm>
#include <cmath>

namespace assay::judge {
namespace {

using Values = std::vector<double>;

void add_nothing(RefTensor<double>& right, const Values& initial, DType) { right.values = initial; }

void flip_sign(RefTensor<double>& right, const Values& initial, DType) {
  for (size_t i = 0; i < initial.size(); ++i) right.values[i] = 2 * initial[i] - right.values[i];
}

void scale(RefTensor<double>& right, const Values& initial, DType) {
  for (size_t i = 0; i < initial.size(); ++i) right.values[i] += 0.02 * (right.values[i] - initial[i]);
}

void lose_initial_values(RefTensor<double>& right, const Values& initial, DType) {
  for (size_t i = 0; i < initial.size(); ++i) right.values[i] -= initial[i];
}

// The row in the middle holds what belongs to the one before it.
void leave_stale_row(RefTensor<double>& right, const Values&, DType) {
  const int64_t cols = right.shape.empty() ? 1 : std::max<int64_t>(1, right.shape.back());
  const int64_t row = static_cast<int64_t>(right.values.size()) / cols / 2;
  if (row == 0) return;
  for (int64_t c = 0; c < cols; ++c) right[row * cols + c] = right[(row - 1) * cols + c];
}

void zero_last_tile(RefTensor<double>& right, const Values&, DType) {
  const auto count = static_cast<int64_t>(right.values.size());
  for (int64_t i = std::max<int64_t>(0, count - 32); i < count; ++i) right[i] = 0;
}

// One dtype lower keeps 11 bits of an f32 (f16), 8 of an f16 (bf16) and 4 of a bf16 (fp8 e4m3). Where f32 operands
// enter products as tf32 or f16, their two roundings to 11 bits come to half of one to 8: only 4 bits are clearly too
// few there.
void round_lower(RefTensor<double>& right, const Values&, DType dtype) {
  const bool rounds_operands = Tracked::operands.unit != 0;
  const int kept = significand_bits(dtype) == 24 ? (rounds_operands ? 4 : 11) : significand_bits(dtype) == 11 ? 8 : 4;
  for (double& value : right.values) {
    if (value == 0 || !std::isfinite(value)) continue;
    const double spacing = std::ldexp(1.0, std::ilogb(value) - kept + 1);
    value = std::nearbyint(value / spacing) * spacing;
  }
}

constexpr StandardMutant kStandardMutants[] = {
    {"nothing_added", add_nothing},       {"sign_flipped", flip_sign},
    {"scaled_by_1.02", scale, true},      {"initial_values_lost", lose_initial_values},
    {"stale_row", leave_stale_row},       {"last_tile_zero", zero_last_tile},
    {"rounded_lower", round_lower, true},
};

}  // namespace

std::span<const StandardMutant> standard_mutants() { return kStandardMutants; }

}  // namespace assay::judge
