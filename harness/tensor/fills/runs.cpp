// Runs of equal values, of lengths around those of warps and packs, across the ends of rows.
#include "harness/tensor/fill.h"

namespace {

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  (void)target;
  constexpr uint64_t kLongest = 40;  // more than a warp
  double value = 0;
  uint64_t left = 0;
  for (double& out : values) {
    if (left == 0) {
      left = rng.below(kLongest) + 1;
      value = assay::normal(rng);
    }
    out = value;
    --left;
  }
}

const assay::RegisterFill kFill({.name = "runs",
                                 .reveals = "ties across lanes, packs and tiles, and values taken from a neighbour",
                                 .make = make});

}  // namespace
