// layer_norm_backward in plain loops, from the mean and rstd that the forward saved.
//
// Another formula: gamma·dy before it is multiplied by anything else.
#pragma once

#include <vector>

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void layer_norm_backward(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), dim = io.dim("E");
  const bool adds_dx = io.text("dx") == "accumulate", adds_dw = io.text("dw") == "accumulate";
  const auto &dy = io.in("dy"), &x = io.in("x");              // (T, E)
  const auto& gamma = io.in("gamma");                         // (E)
  const auto &mean = io.in("mean"), &rstd = io.in("rstd");    // (T)
  auto& dx = io.out("dx");                                    // (T, E)
  auto &dgamma = io.out("dgamma"), &dbeta = io.out("dbeta");  // (E)
  const Rounding<S> round_normalised = io.rounding("normalised"), round_scaled = io.rounding("scaled");
  const S count = S(static_cast<double>(dim));

  std::vector<Sum<S>> gamma_sums(static_cast<size_t>(dim)), beta_sums(static_cast<size_t>(dim));
  for (int64_t d = 0; d < dim && adds_dw; ++d) {
    gamma_sums[static_cast<size_t>(d)].add(dgamma[d]);
    beta_sums[static_cast<size_t>(d)].add(dbeta[d]);
  }
  for (int64_t t = 0; t < tokens; ++t) {
    Sum<S> sum, dots;
    std::vector<S> scaled, normalised;
    for (int64_t d = 0; d < dim; ++d) {
      scaled.push_back(round_scaled(dy(t, d) * gamma[d]));
      normalised.push_back(round_normalised((x(t, d) - mean[t]) * rstd[t]));
      sum.add(scaled.back());
      dots.add(scaled.back() * normalised.back());
      gamma_sums[static_cast<size_t>(d)].add(dy(t, d) * normalised.back());
      beta_sums[static_cast<size_t>(d)].add(dy(t, d));
    }
    const S mean_scaled = shared(sum.value() / count), mean_dot = shared(dots.value() / count);
    for (int64_t d = 0; d < dim; ++d) {
      const auto at = static_cast<size_t>(d);
      const S gradient = rstd[t] * (scaled[at] - mean_scaled - normalised[at] * mean_dot);
      dx(t, d) = adds_dx ? dx(t, d) + gradient : gradient;
    }
  }
  for (int64_t d = 0; d < dim; ++d) {
    dgamma[d] = gamma_sums[static_cast<size_t>(d)].value();
    dbeta[d] = beta_sums[static_cast<size_t>(d)].value();
  }
}

}  // namespace assay::reference
