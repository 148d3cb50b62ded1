// Rows sorted downwards, so that the largest value comes first and the last tiles add next to nothing.
#include <algorithm>
#include <functional>

#include "harness/tensor/fill.h"

namespace {

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  for (double& value : values) value = assay::normal(rng);
  for (auto row = values.begin(); row != values.end(); row += target.cols)
    std::sort(row, row + target.cols, std::greater<>());
}

const assay::RegisterFill kFill({.name = "descending",
                                 .reveals = "a first tile that is taken for the whole row, and stopping too early",
                                 .make = make});

}  // namespace
