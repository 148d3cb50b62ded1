// Uniform in [0, 1): all positive, so that errors in a common factor add up instead of cancelling.
#include "harness/tensor/fill.h"

namespace {

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  (void)target;
  for (double& value : values) value = static_cast<double>(rng.next() >> 40) * 0x1p-24;
}

const assay::RegisterFill kFill(
    {.name = "uniform", .reveals = "a sum, mean or normaliser that is slightly off", .draws = 1, .make = make});

}  // namespace
