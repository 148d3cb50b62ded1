// The common part of the contracts of gelu_forward and gelu_backward: dims, attributes and data.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"
#include "reference/gelu.h"

namespace assay::ops::gelu {

// The cubic term and its slope are finite in f32, and the curve is a straight line long before.
inline constexpr double kLargest = 1e6;

inline std::vector<DimSpec> dims() {
  return {{.name = "N",
           .meaning = "elements",
           .min = 0,
           .boundary = {7, 8, 9, 255, 257},
           .aliases = {"n", "size", "count", "numel", "total", "num_elements", "n_elements"}}};
}

inline AttrSpec form() { return {.name = "form", .meaning = "which of the two curves", .choices = {"tanh", "erf"}}; }

// Beyond ±5 the curve is a line and hides everything: elements are ordinary ones, up to ±6, except one in eight, which
// is as the fill has it. For exponentials they go up to ±16, where exp(-x²/2) has been subnormal. An x of minus
// infinity is left out: 0 times infinity in every kernel, and 0 in the limit.
inline void make_x(const Case& c, Rng& rng, Tensor& x) {
  apply_fill(c, rng, kLargest, x);
  Rng kinds = Rng::stream(c.seed, "x/kinds");
  for (int64_t i = 0; i < x.count(); ++i) {
    const bool keep = kinds.below(c.fill == "exponents" ? 2 : 8) == 0;
    if (std::isinf(x.at(i))) x.set(i, keep ? std::numeric_limits<double>::infinity() : -3);
    if (!keep && std::fabs(x.at(i)) > 6)
      x.set(i, std::copysign(static_cast<double>(kinds.below(c.fill == "exponents" ? 16000 : 6000)) / 1000, x.at(i)));
  }
}

inline void negate(Tensor& x) {
  for (int64_t i = 0; i < x.count(); ++i)
    if (std::isfinite(x.at(i))) x.set(i, -x.at(i));
}

// The curve and its derivative in double, for mutants.
inline double curve(double x, bool by_erf) { return reference::gelu(x, by_erf); }
inline double slope(double x, bool by_erf) { return reference::gelu_slope(x, by_erf); }
inline bool by_erf(const Case& c) { return c.text("form") == "erf"; }

}  // namespace assay::ops::gelu
