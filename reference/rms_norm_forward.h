// rms_norm_forward in plain loops: per token the inverse root mean square of its first E elements, then one product
// each.
//
// eps is the f32 number nearest to its decimal text, because that is what a kernel is handed.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void rms_norm_forward(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), stride = io.dim("aE"), dim = stride - io.dim("pad");
  const S eps = S(static_cast<double>(static_cast<float>(io.real("eps"))));
  const auto& x = io.in("x");          // (T, aE)
  const auto& gamma = io.in("gamma");  // (E)
  auto& y = io.out("y");               // (T, aE)
  auto& rstd = io.out("rstd");         // (T)
  const Rounding<S> round_normalised = io.rounding("normalised");

  const double flops = 4.0 * static_cast<double>(tokens * stride);
  io.each_row(tokens, flops, [&](int64_t t) {
    Sum<S> squares;
    for (int64_t d = 0; d < dim; ++d) squares.add(x(t, d) * x(t, d));
    rstd[t] = rsqrt(plus_eps(squares.value() / S(static_cast<double>(dim)), eps));
    const S inv = shared(rstd[t]);
    for (int64_t d = 0; d < dim; ++d) y(t, d) = in_any_order(round_normalised(x(t, d) * inv) * gamma[d], inv);
    for (int64_t d = dim; d < stride; ++d) y(t, d) = S(0);
  });
}

}  // namespace assay::reference
