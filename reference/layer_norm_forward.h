// layer_norm_forward in plain loops: per token the mean, then the mean square of what deviates from it.
//
// Another formula: the mean square of x less the square of its mean, in one pass over the row, which loses what both
// have in common.
//
// eps is the f32 number nearest to its decimal text, because that is what a kernel is handed.
#pragma once

#include <algorithm>
#include <cmath>

#include "harness/op/reference.h"

namespace assay::reference {

// Mean and variance of row `t` of x (T, E).
template <class S>
struct RowMoments {
  S mean, variance;
};

template <class S, class Row>
RowMoments<S> row_moments(int64_t dim, bool one_pass, Row x) {
  const S count = S(static_cast<double>(dim));
  Sum<S> sum, squares;
  for (int64_t d = 0; d < dim; ++d) sum.add(x(d));
  const S mean = sum.value() / count, common = shared(mean);
  for (int64_t d = 0; d < dim; ++d) {
    const S deviation = one_pass ? x(d) : x(d) - common;
    squares.add(deviation * deviation);
  }
  const S mean_square = squares.value() / count;
  if (!one_pass) watch_tracked(Watched::least_variance, S(plain(mean_square) / (plain(mean) * plain(mean))));
  return {mean, one_pass ? mean_square - common * common : mean_square};
}

// 1/sqrt(variance + eps). Where cancelling left a variance no larger than its error, the root is far from
// linear in it: the true result may be as large as 1/sqrt(eps).
template <class S>
S inverse_deviation(S variance, S eps) {
  S inverse = rsqrt(plus_eps(variance, eps));
  if constexpr (std::is_same_v<S, Tracked>) {
    const double least = std::max(0.0, variance.v - kBudgetFactor * variance.spread());
    const double beyond = (1 / std::sqrt(least + eps.v) - inverse.v) / kBudgetFactor;
    if (beyond > inverse.spread()) inverse = {inverse.v, inverse.e, inverse.c + beyond};
  }
  return inverse;
}

template <class S>
void layer_norm_forward(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), dim = io.dim("E");
  const S eps = S(static_cast<double>(static_cast<float>(io.real("eps"))));
  const auto& x = io.in("x");          // (T, E)
  const auto& gamma = io.in("gamma");  // (E)
  const auto& beta = io.in("beta");    // (E)
  auto& y = io.out("y");               // (T, E)
  auto& mean = io.out("mean");         // (T)
  auto& rstd = io.out("rstd");         // (T)
  const Rounding<S> round_normalised = io.rounding("normalised");
  const bool one_pass = io.by_formula("one_pass");

  const double flops = 7.0 * static_cast<double>(tokens * dim);
  io.each_row(tokens, flops, [&](int64_t t) {
    const RowMoments<S> row = row_moments<S>(dim, one_pass, [&](int64_t d) { return x(t, d); });
    mean[t] = row.mean;
    rstd[t] = inverse_deviation(row.variance, eps);
    const S centre = shared(row.mean), inv = shared(rstd[t]);
    for (int64_t d = 0; d < dim; ++d)
      y(t, d) = in_any_order(round_normalised((x(t, d) - centre) * inv) * gamma[d], inv) + beta[d];
  });
}

}  // namespace assay::reference
