// gemm_swiglu in plain loops: two inner products for each element, the gate through its logistic function, times the
// other. Weights may be blocks, and x may be packed to q8_k first.
#pragma once

#include <vector>

#include "harness/op/reference.h"
#include "reference/block_activations.h"
#include "reference/block_weights.h"
#include "reference/swiglu.h"

namespace assay::reference {

template <class S>
void gemm_swiglu(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), outs = io.dim("N"), ins = io.dim("K");
  const bool biased = io.text("biases") == "1";
  const Weights<S> wg(io, "wg", io.text("wg_format"), {outs, ins}), wu(io, "wu", io.text("wu_format"), {outs, ins});
  const auto& x = io.in("x");                       // (T, K)
  const auto &bg = io.in("bg"), &bu = io.in("bu");  // (N), or nothing
  auto& y = io.out("y");                            // (T, N)
  const auto round_h = io.rounding("h");

  const auto project = [&](const ActivationRow<S>& row, int64_t n, const Weights<S>& w, const RefTensor<S>& bias) {
    Sum<S> total;
    if (biased) total.add(bias[n]);
    return round_h(sum_of_products(total, row, [&](int64_t k) { return w(n, k); }));
  };
  const double flops = 4.0 * static_cast<double>(tokens) * static_cast<double>(outs * ins);
  const std::string& activations = io.text("activations");
  io.each_row(tokens, flops, [&](int64_t t) {
    const auto first = x.values.begin() + t * ins;
    const ActivationRow<S> row = activation_row(activations, std::vector<S>(first, first + ins));
    for (int64_t n = 0; n < outs; ++n) {
      const S a = project(row, n, wg, bg), b = project(row, n, wu, bu);
      y(t, n) = a * logistic(a).value * b;
    }
  });
}

}  // namespace assay::reference
