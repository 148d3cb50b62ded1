// rms_norm_backward_rstd in plain loops: per token the normalised row again, one dot product, then both gradients.
#pragma once

#include <vector>

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void rms_norm_backward_rstd(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), stride = io.dim("aE"), dim = stride - io.dim("pad");
  const auto &dy = io.in("dy"), &x = io.in("x");  // (T, aE)
  const auto& gamma = io.in("gamma");             // (E)
  const auto& rstd = io.in("rstd");               // (T)
  auto& dx = io.out("dx");                        // (T, aE)
  auto& dgamma = io.out("dgamma");                // (E)

  std::vector<Sum<S>> sums(static_cast<size_t>(dim));
  for (int64_t t = 0; t < tokens; ++t) {
    Sum<S> dots;
    for (int64_t d = 0; d < dim; ++d) dots.add(dy(t, d) * gamma[d] * (x(t, d) * rstd[t]));
    const S mean = shared(dots.value() / S(static_cast<double>(dim)));
    for (int64_t d = 0; d < dim; ++d) {
      const S normalised = x(t, d) * rstd[t];
      dx(t, d) = rstd[t] * (dy(t, d) * gamma[d] - normalised * mean);
      sums[static_cast<size_t>(d)].add(dy(t, d) * normalised);
    }
    for (int64_t d = dim; d < stride; ++d) dx(t, d) = S(0);
  }
  for (int64_t d = 0; d < dim; ++d) dgamma[d] = sums[static_cast<size_t>(d)].value();
}

}  // namespace assay::reference
