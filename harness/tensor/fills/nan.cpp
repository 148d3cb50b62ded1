// Normal values with a few NaN: the quiet NaN of x86, and the GPU's own with every payload bit set.
#include <bit>
#include <cstdint>
#include <limits>

#include "harness/tensor/fill.h"

namespace {

double any_nan(assay::Rng& rng) {
  if (rng.next() % 2) return std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<double>(uint64_t{0x7FFFFFFFFFFFFFFF});
}

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  (void)target;
  for (double& value : values) {
    value = assay::normal(rng);
    if (rng.below(32) == 0) value = any_nan(rng);
  }
  if (!values.empty()) values[rng.below(values.size())] = any_nan(rng);
}

const assay::RegisterFill kFill(
    {.name = "nan", .reveals = "a NaN swallowed by a maximum or a comparison", .has_nan = true, .make = make});

}  // namespace
