// Standard normal values: what weights and activations look like.
#include "harness/tensor/counter.h"
#include "harness/tensor/fill.h"

namespace {

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  (void)target;
  const uint64_t counter = assay::counter_of(rng);
  uint64_t i = 0;
  for (double& value : values) value = assay::normal_at(counter, i++);
  rng = assay::skipped(rng, i * assay::kNormalDraws);
}

const assay::RegisterFill kFill({.name = "normal",
                                 .reveals = "errors of ordinary size in ordinary data",
                                 .draws = assay::kNormalDraws,
                                 .make = make});

}  // namespace
