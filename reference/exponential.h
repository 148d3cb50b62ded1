// The exponentials of a row, relative to its maximum, by the two formulas that kernels use.
//
// exp(x - m) is exact for x = m. In base 2 it is exp2(x·log2(e) - m·log2(e)), whose two products are rounded to what
// numbers of the size of x have: a right formula as long as that leaves something of the difference.
#pragma once

#include <cmath>
#include <numbers>

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
class Exponential {
 public:
  Exponential(S maximum, bool base_2)
      : maximum_(maximum), base_2_(base_2 && std::isfinite(plain(maximum)) && is_well_known(scaled(maximum))) {
    watch_tracked(Watched::maximum, maximum);
  }

  bool is_in_base_2() const { return base_2_; }

  S operator()(S x) const { return base_2_ ? exp(scaled(x) - scaled(maximum_)) : exp(x - maximum_); }

 private:
  // x with the error of its product with log2(e), and of that number itself, which is rounded too.
  static S scaled(S x) {
    if constexpr (std::is_same_v<S, Tracked>)
      return std::isfinite(x.v) ? Tracked(x.v, x.e + Tracked::rounding(x.v), x.c + Tracked::unit / 2 * std::fabs(x.v))
                                : x;
    return x;
  }

  S maximum_;
  bool base_2_;
};

}  // namespace assay::reference
