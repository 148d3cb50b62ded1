// causal_softmax_backward in plain loops: a dot product per row over the columns that it has, then one line.
//
// Another formula: w·dp - w·dot instead of w·(dp - dot), whose products are rounded where the difference is small.
#pragma once

#include "reference/causal_softmax.h"

namespace assay::reference {

// w, dp, ds: (H, aw, aw)
template <class S>
void causal_softmax_backward(ReferenceIo<S>& io, const CausalRows& a) {
  const auto &w = io.in("w"), &dp = io.in("dp");
  auto& ds = io.out("ds");
  const Rounding<S> round_product = io.rounding("w_dp"), round_dot = io.rounding("dot");
  const bool by_products = io.by_formula("w_dp_minus_w_dot");
  for (int64_t h = 0; h < a.heads; ++h)
    for (int64_t i = 0; i < a.tokens; ++i) {
      const int64_t row = a.at(h, i), seen = a.seen(i);
      Sum<S> products;
      for (int64_t j = 0; j < seen; ++j) products.add(round_product(w[row + j] * dp[row + j]));
      const S dot = shared(round_dot(products.value()));
      for (int64_t j = 0; j < a.tokens; ++j) {
        if (j >= seen) {
          ds[row + j] = S(0);
          continue;
        }
        const S each =
            by_products ? round_product(w[row + j] * dp[row + j]) - w[row + j] * dot : w[row + j] * (dp[row + j] - dot);
        ds[row + j] = a.scale == 1 ? each : each * S(a.scale);
      }
    }
}

}  // namespace assay::reference
