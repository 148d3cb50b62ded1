// causal_softmax in plain loops: softmax of the first i + 1 scores of row i. Its formulas are those of softmax_forward.
#pragma once

#include <limits>

#include "reference/exponential.h"

namespace assay::reference {

// The numbers of a case. Mutants for the sensitivity audit are made by changing one of them.
struct CausalRows {
  int64_t heads, tokens, width;
  double scale;          // of the scores, rounded to f32 as a kernel gets it
  int64_t diagonal = 0;  // row i has the columns 0 … i + diagonal

  int64_t at(int64_t head, int64_t row) const { return (head * width + row) * width; }
  int64_t seen(int64_t row) const { return std::clamp<int64_t>(row + diagonal + 1, 0, tokens); }
};

inline CausalRows causal_rows(const Case& c) {
  return {
      .heads = c.dim("H"), .tokens = c.dim("T"), .width = c.dim("aw"), .scale = static_cast<float>(c.real("scale"))};
}

// scores, probs: (H, aw, aw)
template <class S>
void causal_softmax(ReferenceIo<S>& io, const CausalRows& a) {
  const auto& scores = io.in("scores");
  auto& probs = io.out("probs");
  const Rounding<S> round_exp = io.rounding("exp");
  const bool base_2 = io.by_formula("exp2"), by_lse = io.by_formula("exp_of_x_minus_lse");
  for (int64_t h = 0; h < a.heads; ++h)
    for (int64_t i = 0; i < a.tokens; ++i) {
      const int64_t row = a.at(h, i), seen = a.seen(i);
      S maximum = S(-std::numeric_limits<double>::infinity());
      const auto scaled = [&](int64_t j) { return a.scale == 1 ? scores[row + j] : scores[row + j] * S(a.scale); };
      for (int64_t j = 0; j < seen; ++j) maximum = larger(maximum, scaled(j));
      const Exponential<S> exponential(maximum, base_2);
      Sum<S> total;
      for (int64_t j = 0; j < seen; ++j) total.add(exponential(scaled(j)));
      const S lse = shared(maximum + log(total.value())), factor = shared(S(1) / total.value());
      for (int64_t j = 0; j < a.tokens; ++j)
        probs[row + j] = j >= seen                      ? S(0)
                         : by_lse && is_well_known(lse) ? exp(scaled(j) - lse)
                                                        : round_exp(exponential(scaled(j))) * factor;
    }
}

}  // namespace assay::reference
