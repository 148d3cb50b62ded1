// One value everywhere.
#include "harness/tensor/fill.h"

namespace {

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  (void)target;
  const double value = assay::normal(rng);
  for (double& v : values) v = value;
}

const assay::RegisterFill kFill({.name = "all_equal",
                                 .reveals = "a wrong count or normaliser: every element is wrong in step",
                                 .make = make});

}  // namespace
