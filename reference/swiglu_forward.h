// swiglu_forward in plain loops: the gate through its logistic function, times the upper half.
#pragma once

#include "harness/op/reference.h"
#include "reference/swiglu.h"

namespace assay::reference {

template <class S>
void swiglu_forward(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), dim = io.dim("dim");
  const auto& in = io.in("in");  // (T, 2 dim): gate, then up
  auto& y = io.out("y");         // (T, dim)
  const Rounding<S> round_silu = io.rounding("silu");

  const double flops = 5.0 * static_cast<double>(tokens * dim);
  io.each_row(tokens, flops, [&](int64_t t) {
    for (int64_t d = 0; d < dim; ++d) {
      const S a = in(t, d), b = in(t, dim + d);
      y(t, d) = round_silu(a * logistic(a).value) * b;
    }
  });
}

}  // namespace assay::reference
