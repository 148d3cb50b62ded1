// Normal values with a few infinities of both signs, and now and then a whole row of minus infinity.
#include <limits>

#include "harness/tensor/fill.h"

namespace {

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (double& value : values) {
    value = assay::normal(rng);
    if (rng.below(64) == 0) value = rng.below(3) == 0 ? infinity : -infinity;
  }
  for (int64_t row = 0; row < target.count; row += target.cols) {
    if (rng.below(4) != 0) continue;
    for (int64_t column = 0; column < target.cols; ++column) values[static_cast<size_t>(row + column)] = -infinity;
  }
}

const assay::RegisterFill kFill({.name = "infinities",
                                 .reveals = "inf - inf, and masks that are minus infinity",
                                 .has_infinity = true,
                                 .make = make});

}  // namespace
