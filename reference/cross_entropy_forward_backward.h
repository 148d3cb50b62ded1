// cross_entropy_forward_backward in plain loops: softmax of every row that counts, its loss, and the gradient of both.
//
// Other formulas: with exponentials to base 2 (reference/exponential.h), and by way of the logarithm of the sum, lse: p
// is exp(x - lse) and the loss lse - x. Its rounding is that of a number as large as the logits, so it is right only
// where that leaves digits. log_p is what a kernel has that stores log_softmax: p is its exponential then.
//
// With given=probs p is what is given, and the loss -ln(p + eps); with encoding=one_hot the class is where a row of
// one_hot is not 0, and a row of zeros is padding.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "reference/exponential.h"

namespace assay::reference {

template <class S>
void cross_entropy_forward_backward(ReferenceIo<S>& io) {
  const int64_t rows = io.dim("N"), classes = io.dim("V"), pad_id = std::stoll(io.text("pad_id"));
  const bool of_probs = io.text("given") == "probs", is_mean = io.text("reduction") == "mean";
  const auto& logits = io.in(of_probs ? "probs" : "logits");  // (N, V)
  auto& grad = io.out("grad");                                // (N, V)
  auto& loss = io.out("loss");                                // (1), or (N) with loss=rows
  const S scale = is_mean ? shared(S(1) / io.in("count")[0]) : S(1), eps = S(io.real("eps"));
  const Rounding<S> round_p = io.rounding("p"), round_log_p = io.rounding("log_p");
  const bool of_rows = io.text("loss") == "rows";
  const bool base_2 = io.by_formula("exp2"), by_lse = io.by_formula("lse");

  const bool one_hot = io.text("encoding") == "one_hot";
  const auto target_of = [&](int64_t n) {  // a number that is no class: padding
    if (!one_hot) return io.index("targets", n) == pad_id ? classes : io.index("targets", n);
    int64_t v = 0;
    while (v < classes && io.index("one_hot", n * classes + v) == 0) ++v;
    return v;
  };

  std::vector<std::optional<S>> losses(static_cast<size_t>(rows));  // of the rows that count
  on_all_cores<S>(rows, 6.0 * static_cast<double>(rows * classes), [&](int64_t n) {
    const int64_t target = target_of(n);
    if (target >= classes) return;  // grad is 0
    if (of_probs) {
      for (int64_t v = 0; v < classes; ++v) grad(n, v) = (v == target ? logits(n, v) - S(1) : logits(n, v)) * scale;
      losses[static_cast<size_t>(n)] = -log(logits(n, target) + eps);
      return;
    }
    S row_max = S(-std::numeric_limits<double>::infinity());
    for (int64_t v = 0; v < classes; ++v) row_max = larger(row_max, logits(n, v));
    const Exponential<S> exponential(row_max, base_2);
    Sum<S> sum;
    for (int64_t v = 0; v < classes; ++v) sum.add(exponential(logits(n, v)));
    const S log_sum = log(sum.value()), lse = row_max + log_sum, inverse = shared(S(1) / sum.value());
    const bool keep_lse = by_lse && is_well_known(lse);
    const auto log_p = [&](int64_t v) {
      return round_log_p(keep_lse ? logits(n, v) - shared(lse) : logits(n, v) - row_max - shared(log_sum));
    };
    for (int64_t v = 0; v < classes; ++v) {
      const bool by_log = keep_lse || round_log_p.declared();
      const S probability = round_p(by_log ? exp(log_p(v)) : exponential(logits(n, v)) * inverse);
      grad(n, v) = (v == target ? probability - S(1) : probability) * scale;
    }
    losses[static_cast<size_t>(n)] =
        keep_lse || round_log_p.declared() ? -log_p(target) : log_sum - (logits(n, target) - row_max);
  });
  if (of_rows) {
    for (int64_t n = 0; n < rows; ++n) loss[n] = losses[static_cast<size_t>(n)].value_or(S(0));
    return;
  }
  Sum<S> total;
  total.add(loss[0]);
  for (const std::optional<S>& each : losses)
    if (each) total.add(*each * scale);
  loss[0] = total.value();
}

}  // namespace assay::reference
