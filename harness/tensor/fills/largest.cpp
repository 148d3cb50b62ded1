// Rows of nothing but the largest magnitude that the op admits, of both signs, and single ones of it among normal values.
#include "harness/tensor/fill.h"

namespace {

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  const auto any_largest = [&] { return rng.next() % 2 ? target.magnitude : -target.magnitude; };
  for (int64_t row = 0; row < target.count; row += target.cols) {
    const uint64_t kind = rng.below(4);  // 0: all of one sign, 1: of both, otherwise one in eight
    const double of_row = any_largest();
    for (int64_t column = 0; column < target.cols; ++column) {
      double& value = values[static_cast<size_t>(row + column)];
      value = assay::normal(rng);
      if (kind == 0)
        value = of_row;
      else if (kind == 1 || rng.below(8) == 0)
        value = any_largest();
    }
  }
}

const assay::RegisterFill kFill(
    {.name = "largest",
     .reveals = "a sum or difference of large numbers that overflows, and FLT_MAX taken for "
                "a mark of its own",
     .make = make});

}  // namespace
