// Whole rows at the lowest finite value, as attention masks leave them, between rows of normal values.
#include "harness/tensor/fill.h"

namespace {

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  for (double& value : values) value = assay::normal(rng);
  for (int64_t row = 0; row < target.count; row += target.cols) {
    if (rng.next() % 2) continue;
    for (int64_t column = 0; column < target.cols; ++column)
      values[static_cast<size_t>(row + column)] = -target.magnitude;
  }
}

const assay::RegisterFill kFill({.name = "lowest_rows",
                                 .reveals = "an initial maximum of -1e30 or 0 instead of minus infinity",
                                 .make = make});

}  // namespace
