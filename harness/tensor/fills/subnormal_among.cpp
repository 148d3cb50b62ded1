// Normal values with subnormal ones among them: what is flushed to zero next to what is not.
#include "harness/tensor/fill.h"

namespace {

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  const double smallest = assay::ulp(target.dtype, 0);
  const int64_t span = (int64_t{1} << (assay::significand_bits(target.dtype) - 1)) - 1;
  for (double& value : values)
    value = rng.next() % 2 ? assay::normal(rng) : static_cast<double>(rng.between(-span, span)) * smallest;
}

const assay::RegisterFill kFill({.name = "subnormal_among",
                                 .reveals = "an order or a copy that loses small numbers beside ordinary ones",
                                 .make = make});

}  // namespace
