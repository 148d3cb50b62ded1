// Pairs x, -x next to each other: sums are far smaller than their terms.
#include "harness/tensor/fill.h"

namespace {

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  (void)target;
  for (size_t i = 0; i < values.size(); ++i) values[i] = i % 2 ? -values[i - 1] : assay::normal(rng);
}

const assay::RegisterFill kFill(
    {.name = "cancelling",
     .reveals = "lost accuracy in long sums, and budgets that scale with the result instead of its terms",
     .make = make});

}  // namespace
