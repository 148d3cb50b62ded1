// Standard normal values: what weights and activations look like.
#include "harness/tensor/fill.h"

namespace {

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  (void)target;
  for (double& value : values) value = assay::normal(rng);
}

const assay::RegisterFill kFill({.name = "normal",
                                 .reveals = "errors of ordinary size in ordinary data",
                                 .make = make});

}  // namespace
