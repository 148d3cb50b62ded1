// gemm_swiglu in plain loops: two inner products for each element, the gate through its logistic function, times the
// other.
#pragma once

#include "harness/op/reference.h"
#include "reference/swiglu.h"

namespace assay::reference {

template <class S>
void gemm_swiglu(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), outs = io.dim("N"), ins = io.dim("K");
  const bool biased = io.text("biases") == "1";
  const auto &x = io.in("x"), &wg = io.in("wg"), &wu = io.in("wu");  // (T, K), (N, K), (N, K)
  const auto &bg = io.in("bg"), &bu = io.in("bu");                   // (N), or nothing
  auto& y = io.out("y");                                             // (T, N)
  const auto round_h = io.rounding("h");

  const auto project = [&](int64_t t, int64_t n, const RefTensor<S>& w, const RefTensor<S>& bias) {
    Sum<S> total;
    if (biased) total.add(bias[n]);
    for (int64_t k = 0; k < ins; ++k) total.add_product(x(t, k), w(n, k));
    return round_h(total.value());
  };
  const double flops = 4.0 * static_cast<double>(tokens) * static_cast<double>(outs * ins);
  for (const int64_t t : io.rows(tokens, flops))
    for (int64_t n = 0; n < outs; ++n) {
      const S a = project(t, n, wg, bg), b = project(t, n, wu, bu);
      y(t, n) = a * logistic(a).value * b;
    }
}

}  // namespace assay::reference
