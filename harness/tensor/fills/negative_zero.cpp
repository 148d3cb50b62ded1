// Normal values among zeros of both signs, and rows of negative zeros alone.
#include "harness/tensor/fill.h"

namespace {

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  for (double& value : values) {
    value = assay::normal(rng);
    if (const uint64_t kind = rng.below(4); kind < 2) value = kind == 0 ? -0.0 : 0.0;
  }
  for (int64_t row = 0; row < target.count; row += target.cols) {
    if (rng.below(4) != 0) continue;
    for (int64_t column = 0; column < target.cols; ++column) values[static_cast<size_t>(row + column)] = -0.0;
  }
}

const assay::RegisterFill kFill({.name = "negative_zero",
                                 .reveals = "zeros ordered by their sign bit, and a division by a maximum of zero",
                                 .make = make});

}  // namespace
