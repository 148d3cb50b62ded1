// rms_norm_backward in plain loops: per group the inverse root mean square and one dot product, then both gradients.
//
// Another formula: w·g before it is multiplied by anything else, which is subnormal, and rounded as such, where w is.
//
// eps is the f32 number nearest to its decimal text, because that is what a kernel is handed.
#pragma once

#include <vector>

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void rms_norm_backward(ReferenceIo<S>& io) {
  const int64_t groups = io.dim("G"), dim = io.dim("dim");
  const S eps = S(static_cast<double>(static_cast<float>(io.real("eps"))));
  const auto& x = io.in("x");  // (G, dim)
  const auto& g = io.in("g");  // (G, dim)
  const auto& w = io.in("w");  // (dim)
  auto& dx = io.out("dx");     // (G, dim)
  auto& dw = io.out("dw");     // (dim)
  const Rounding<S> round_normalised = io.rounding("normalised"), round_gw = io.rounding("gw"),
                    round_term = io.rounding("dw_terms");
  const bool by_formula = io.by_formula("gw_first"), gw_first = by_formula || round_gw.declared();

  std::vector<Sum<S>> dw_sums(static_cast<size_t>(dim));
  for (int64_t d = 0; d < dim; ++d) dw_sums[static_cast<size_t>(d)].add(dw[d]);
  for (int64_t r = 0; r < groups; ++r) {
    Sum<S> squares, dots;
    for (int64_t d = 0; d < dim; ++d) squares.add(x(r, d) * x(r, d));
    for (int64_t d = 0; d < dim; ++d)
      dots.add(gw_first ? x(r, d) * round_gw(w[d] * g(r, d)) : x(r, d) * w[d] * g(r, d));
    const S own_inv = rsqrt(plus_eps(squares.value() / S(static_cast<double>(dim)), eps));
    const S inv = shared(own_inv);  // shared within the group; each group's error is its own, hence own_inv for dw
    const S factor = shared(inv * inv * inv * dots.value() / S(static_cast<double>(dim)));
    for (int64_t d = 0; d < dim; ++d) {
      const S scaled = gw_first ? round_gw(w[d] * g(r, d)) * inv : w[d] * inv * g(r, d);
      dx(r, d) = scaled - x(r, d) * factor;
      dw_sums[static_cast<size_t>(d)].add(round_term(round_normalised(x(r, d) * own_inv) * g(r, d)));
    }
  }
  for (int64_t d = 0; d < dim; ++d) dw[d] = dw_sums[static_cast<size_t>(d)].value();
}

}  // namespace assay::reference
