// Values from a set of three, so that maxima and thresholds are reached several times.
#include "harness/tensor/fill.h"

namespace {

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  (void)target;
  for (double& value : values) value = static_cast<double>(rng.between(-1, 1)) * 0.75;
}

const assay::RegisterFill kFill({.name = "ties",
                                 .reveals = "tie breaking, and a maximum that is counted once",
                                 .make = make});

}  // namespace
