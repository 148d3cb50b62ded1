// swiglu_backward in plain loops: the derivatives of y = a s(a) b by a and by b, times dy.
#pragma once

#include "harness/op/reference.h"
#include "reference/swiglu.h"

namespace assay::reference {

template <class S>
void swiglu_backward(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), dim = io.dim("dim");
  const auto& in = io.in("in");  // (T, 2 dim): gate, then up
  const auto& dy = io.in("dy");  // (T, dim)
  auto& din = io.out("din");     // (T, 2 dim)
  const Rounding<S> round_silu = io.rounding("silu"), round_dsilu = io.rounding("dsilu");

  const double flops = 10.0 * static_cast<double>(tokens * dim);
  io.each_row(tokens, flops, [&](int64_t t) {
    for (int64_t d = 0; d < dim; ++d) {
      const S a = in(t, d), b = in(t, dim + d);
      const Logistic<S> s = logistic(a);
      din(t, d) = round_dsilu(dy(t, d) * b) * s.value * (S(1) + a * s.complement);
      din(t, dim + d) = round_silu.declared() ? dy(t, d) * round_silu(a * s.value) : dy(t, d) * a * s.value;
    }
  });
}

}  // namespace assay::reference
