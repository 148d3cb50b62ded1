// residual_norm in plain loops: the sum of both branches, and its norm by rms or by mean and variance.
//
// Form: for norm=layer, the variance in one pass, as layer_norm_forward has it.
#pragma once

#include "harness/op/reference.h"
#include "reference/layer_norm_forward.h"

namespace assay::reference {

// `sum` as it was stored. A row's elements may all be rounded to one side, as in rows of equal or of slowly growing
// numbers, and then its mean errs as they do: so the rounding is an error that they share.
template <class S>
S stored(const Rounding<S>& round, S sum) {
  const S rounded = round(sum);
  if constexpr (std::is_same_v<S, Tracked>)
    return {rounded.v, sum.e, sum.c + std::sqrt(3 * (rounded.e - sum.e)) / kBudgetFactor};
  return rounded;
}

template <class S>
void residual_norm(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), dim = io.dim("E");
  const bool by_rms = io.text("norm") == "rms", one_pass = io.in_form("one_pass");
  const S eps = S(static_cast<double>(static_cast<float>(io.real("eps"))));
  const auto &a = io.in("a"), &b = io.in("b");                // (T, E)
  const auto &gamma = io.in("gamma"), &beta = io.in("beta");  // (E); no beta for rms
  auto &r = io.out("r"), &y = io.out("y");                    // (T, E)
  auto &mean = io.out("mean"), &rstd = io.out("rstd");        // (T); no mean for rms
  const Rounding<S> round_sum = io.rounding("r"), round_normalised = io.rounding("normalised");

  std::vector<S> row(static_cast<size_t>(dim));
  const auto element = [&](int64_t d) { return row[static_cast<size_t>(d)]; };
  for (int64_t t = 0; t < tokens; ++t) {
    Sum<S> squares;
    for (int64_t d = 0; d < dim; ++d) {
      r(t, d) = a(t, d) + b(t, d);
      row[static_cast<size_t>(d)] = stored(round_sum, r(t, d));
      squares.add(element(d) * element(d));
    }
    const RowMoments<S> moments = by_rms ? RowMoments<S>{S(0), squares.value() / S(static_cast<double>(dim))}
                                         : row_moments<S>(dim, one_pass, element);
    if (!by_rms) mean[t] = moments.mean;
    rstd[t] = inverse_deviation(moments.variance, eps);
    const S centre = shared(moments.mean), inv = shared(rstd[t]);
    for (int64_t d = 0; d < dim; ++d) {
      const S deviation = by_rms ? element(d) : element(d) - centre;
      const S scaled = round_normalised(deviation * inv) * gamma[d];
      y(t, d) = by_rms ? scaled : scaled + beta[d];
    }
  }
}

}  // namespace assay::reference
