// Normal values with one element of each row near the largest magnitude that the op admits.
#include "harness/tensor/fill.h"

namespace {

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  for (double& value : values) value = assay::normal(rng);
  for (int64_t row = 0; row < target.count; row += target.cols) {
    const auto column = static_cast<int64_t>(rng.below(static_cast<uint64_t>(target.cols)));
    values[static_cast<size_t>(row + column)] = rng.next() % 2 ? target.magnitude : -target.magnitude;
  }
}

const assay::RegisterFill kFill({.name = "one_huge",
                                 .reveals = "a maximum that is not subtracted, an overflow, a narrow accumulator",
                                 .make = make});

}  // namespace
