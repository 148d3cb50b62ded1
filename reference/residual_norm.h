// residual_norm in plain loops: the sum of both branches, and its norm by rms or by mean and variance.
//
// Another formula: for norm=layer, the variance in one pass, as layer_norm_forward has it.
#pragma once

#include "harness/op/reference.h"
#include "reference/layer_norm_forward.h"

namespace assay::reference {

template <class S, class Row>
RowMoments<S> moments_of_row(bool by_rms, bool one_pass, int64_t dim, Row element) {
  if (!by_rms) return row_moments<S>(dim, one_pass, element);
  Sum<S> squares;
  for (int64_t d = 0; d < dim; ++d) squares.add(element(d) * element(d));
  return {S(0), squares.value() / S(static_cast<double>(dim))};
}

// `of_sums`, with what it would be of sums that were stored before as an error: all of a row may be rounded to one
// side, as equal ones are, or the roundings may average out. Both are known, so nothing is assumed about them.
inline Tracked or_of_stored(Tracked of_sums, double of_stored) {
  return {of_sums.v, of_sums.e, of_sums.c + std::fabs(of_stored - of_sums.v) / kBudgetFactor};
}

template <class S>
void residual_norm(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), dim = io.dim("E");
  const bool by_rms = io.text("norm") == "rms", one_pass = io.by_formula("one_pass");
  const S eps = S(static_cast<double>(static_cast<float>(io.real("eps"))));
  const auto &a = io.in("a"), &b = io.in("b");                // (T, E)
  const auto &gamma = io.in("gamma"), &beta = io.in("beta");  // (E); no beta for rms
  auto &r = io.out("r"), &y = io.out("y");                    // (T, E)
  auto &mean = io.out("mean"), &rstd = io.out("rstd");        // (T); no mean for rms
  const Rounding<S> round_sum = io.rounding("r"), round_normalised = io.rounding("normalised");

  const double flops = 8.0 * static_cast<double>(tokens * dim);
  io.each_row(tokens, flops, [&](int64_t t) {
    std::vector<S> row(static_cast<size_t>(dim));  // r as it goes on, and as it was stored where that is known
    std::vector<double> stored(static_cast<size_t>(dim));
    for (int64_t d = 0; d < dim; ++d) {
      const auto i = static_cast<size_t>(d);
      r(t, d) = a(t, d) + b(t, d);
      row[i] = round_sum(r(t, d));
      stored[i] = rounded_to(plain(r(t, d)), Tracked::rounds_unit, Tracked::rounds_smallest);
    }
    const auto element = [&](int64_t d) { return std::is_same_v<S, Tracked> ? r(t, d) : row[static_cast<size_t>(d)]; };
    RowMoments<S> moments = moments_of_row<S>(by_rms, one_pass, dim, element);
    rstd[t] = inverse_deviation(moments.variance, eps);
    if constexpr (std::is_same_v<S, Tracked>) {
      if (round_sum.declared()) {
        const RowMoments<double> of_stored =
            moments_of_row<double>(by_rms, false, dim, [&](int64_t d) { return stored[static_cast<size_t>(d)]; });
        moments.mean = or_of_stored(moments.mean, of_stored.mean);
        rstd[t] = or_of_stored(rstd[t], rsqrt(of_stored.variance + eps.v));
      }
    }
    if (!by_rms) mean[t] = moments.mean;
    const S centre = shared(moments.mean), inv = shared(rstd[t]);
    for (int64_t d = 0; d < dim; ++d) {
      const S each = row[static_cast<size_t>(d)], deviation = by_rms ? each : each - centre;
      const S scaled = in_any_order(round_normalised(deviation * inv) * gamma[d], inv);
      y(t, d) = by_rms ? scaled : scaled + beta[d];
    }
  });
}

}  // namespace assay::reference
