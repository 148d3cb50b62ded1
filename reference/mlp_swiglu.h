// mlp_swiglu in plain loops: two inner products for each element between, the gate through its logistic function, times
// the other; then one inner product for each element of y. Weights may be blocks, and what the products take may be
// packed to q8_k first.
#pragma once

#include <vector>

#include "harness/op/reference.h"
#include "reference/block_activations.h"
#include "reference/block_weights.h"
#include "reference/swiglu.h"

namespace assay::reference {

template <class S>
void mlp_swiglu(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), width = io.dim("aE"), inner = io.dim("aI");
  const Weights<S> w1(io, "w1", io.text("w1_format"), {2 * inner, width}),
      w2(io, "w2", io.text("w2_format"), {width, inner});
  const std::string& activations = io.text("activations");
  const auto& x = io.in("x");                                 // (T, aE)
  const auto &b1 = io.in("b1"), &b2 = io.in("b2");            // (2 aI), (aE), or nothing
  auto &h = io.out("h"), &g = io.out("g"), &y = io.out("y");  // (T, 2 aI), (T, aI), or nothing, and (T, aE)
  const auto round_h = io.rounding("h"), round_g = io.rounding("g");

  const auto project = [&](const ActivationRow<S>& row, int64_t t, int64_t n) {
    Sum<S> total;
    if (io.has("b1")) total.add(b1[n]);
    const S sum = sum_of_products(total, row, [&](int64_t e) { return w1(n, e); });
    if (io.has("h")) h(t, n) = sum;
    return round_h(sum);
  };
  const double flops = 6.0 * static_cast<double>(tokens) * static_cast<double>(width * inner);
  io.each_row(tokens, flops, [&](int64_t t) {
    const auto first = x.values.begin() + t * width;
    const ActivationRow<S> row = activation_row(activations, std::vector<S>(first, first + width));
    std::vector<S> gated;
    for (int64_t i = 0; i < inner; ++i) {
      const S gate = project(row, t, i), up = project(row, t, inner + i);
      gated.push_back(gate * logistic(gate).value * up);
      if (io.has("g")) g(t, i) = gated.back();
      gated.back() = round_g(gated.back());
    }
    const ActivationRow<S> between = activation_row(activations, std::move(gated));
    for (int64_t e = 0; e < width; ++e) {
      Sum<S> total;
      if (io.has("b2")) total.add(b2[e]);
      y(t, e) = sum_of_products(total, between, [&](int64_t i) { return w2(e, i); });
    }
  });
}

}  // namespace assay::reference
