// cross_entropy_forward_backward in plain loops: softmax of every row that counts, its loss, and the gradient of both.
#pragma once

#include <limits>
#include <string>

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void cross_entropy_forward_backward(ReferenceIo<S>& io) {
  const int64_t rows = io.dim("N"), classes = io.dim("V"), pad_id = std::stoll(io.text("pad_id"));
  const auto& logits = io.in("logits");  // (N, V)
  auto& grad = io.out("grad");           // (N, V)
  auto& loss = io.out("loss");           // (1)
  const S scale = shared(S(1) / io.in("count")[0]);

  Sum<S> total;
  total.add(loss[0]);
  for (int64_t n = 0; n < rows; ++n) {
    const int64_t target = io.index("targets", n);
    if (target == pad_id || target >= classes) continue;  // grad is 0
    S row_max = S(-std::numeric_limits<double>::infinity());
    for (int64_t v = 0; v < classes; ++v) row_max = larger(row_max, logits(n, v));
    Sum<S> sum;
    for (int64_t v = 0; v < classes; ++v) sum.add(exp(logits(n, v) - row_max));
    const S inverse = shared(S(1) / sum.value());
    for (int64_t v = 0; v < classes; ++v) {
      const S probability = exp(logits(n, v) - row_max) * inverse;
      grad(n, v) = (v == target ? probability - S(1) : probability) * scale;
    }
    total.add((log(sum.value()) - (logits(n, target) - row_max)) * scale);
  }
  loss[0] = total.value();
}

}  // namespace assay::reference
