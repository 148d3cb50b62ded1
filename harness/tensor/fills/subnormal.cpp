// Values around the smallest normal number of the type, subnormal for the most part.
#include "harness/tensor/fill.h"

namespace {

void make(const assay::FillTarget& target, assay::Rng& rng, std::vector<double>& values) {
  const double smallest = assay::ulp(target.dtype, 0);
  const int64_t span = int64_t{1} << assay::significand_bits(target.dtype);
  for (double& value : values) value = static_cast<double>(rng.between(-span, span)) * smallest;
}

const assay::RegisterFill kFill({.name = "subnormal",
                                 .reveals = "flushing to zero, and conversions that mishandle small numbers",
                                 .make = make});

}  // namespace
