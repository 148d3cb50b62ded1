// tensor_stats in plain loops: what is no number is counted, the rest measured.
#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void tensor_stats(ReferenceIo<S>& io) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const auto& x = io.in("x");  // (n)
  int64_t nans = 0, infinities = 0;
  S least = S(kInfinity), largest = S(-kInfinity);
  // The mean is of a sum in double, except where a kernel declares arithmetic that is narrower than f32.
  const Precision f32;
  Precision precision = Tracked::declared();
  if (precision.unit <= f32.unit) precision.unit = 0x1p-53, precision.smallest = 0;
  const TrackedPrecision in_double(std::move(precision));
  Sum<S> sum;
  for (int64_t i = 0; i < io.dim("n"); ++i) {
    if (std::isnan(plain(x[i]))) {
      ++nans;
    } else if (std::isinf(plain(x[i]))) {
      ++infinities;
    } else {
      sum.add(x[i]);
      if (x[i] < least) least = x[i];
      if (x[i] > largest) largest = x[i];
    }
  }
  io.out("nans")[0] = S(static_cast<double>(nans));
  io.out("infinities")[0] = S(static_cast<double>(infinities));
  io.out("least")[0] = least;
  io.out("largest")[0] = largest;
  io.out("mean")[0] = sum.value() / S(static_cast<double>(io.dim("n") - nans - infinities));
}

}  // namespace assay::reference
