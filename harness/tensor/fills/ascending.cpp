// Rows sorted upwards, so that the largest value comes last.
#include <algorithm>

#include "harness/tensor/fill.h"

namespace {

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  for (double& value : values) value = assay::normal(rng);
  for (auto row = values.begin(); row != values.end(); row += target.cols) std::sort(row, row + target.cols);
}

const assay::RegisterFill kFill({.name = "ascending",
                                 .reveals = "a running maximum that is not rescaled, and selections that need disorder",
                                 .make = make});

}  // namespace
