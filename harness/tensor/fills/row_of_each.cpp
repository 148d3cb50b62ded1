// One row of each kind in turn: normal, one element that is not zero, one constant, alternating signs, tiny, large, all
// zero. A kernel that keeps something of one row for the next meets a row that it does not fit.
#include "harness/tensor/fill.h"

namespace {

constexpr int64_t kKinds = 7;
constexpr double kTiny = 0x1p-12, kLarge = 0x1p6;  // ordinary numbers in every type

double element(int64_t kind, int64_t column, int64_t chosen, double value, double constant) {
  switch (kind) {
    case 0:
      return value;
    case 1:
      return column == chosen ? value : 0;
    case 2:
      return constant;
    case 3:
      return column % 2 ? -constant : constant;
    case 4:
      return value * kTiny;
    case 5:
      return value * kLarge;
    default:
      return 0;
  }
}

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  auto kind = static_cast<int64_t>(rng.below(kKinds));
  for (int64_t row = 0; row < target.count; row += target.cols, kind = (kind + 1) % kKinds) {
    const double constant = assay::normal(rng);
    const auto chosen = static_cast<int64_t>(rng.below(static_cast<uint64_t>(target.cols)));
    for (int64_t column = 0; column < target.cols; ++column) {
      const double value = element(kind, column, chosen, assay::normal(rng), constant);
      values[static_cast<size_t>(row + column)] = value > target.magnitude    ? target.magnitude
                                                  : value < -target.magnitude ? -target.magnitude
                                                                              : value;
    }
  }
}

const assay::RegisterFill kFill({.name = "row_of_each",
                                 .reveals = "what one row leaves behind for the next: a maximum, a sum, a flag",
                                 .make = make});

}  // namespace
