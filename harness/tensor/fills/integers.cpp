// Small integers: every order of addition gives the same bits.
#include "harness/tensor/fill.h"

namespace {

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  (void)target;
  for (double& value : values) value = static_cast<double>(rng.between(-4, 4));
}

const assay::RegisterFill kFill(
    {.name = "integers",
     .reveals = "a dropped, doubled or misplaced element in an op that only adds and copies",
     .exact = true,
     .draws = 1,
     .make = make});

}  // namespace
