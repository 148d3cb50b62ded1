// mlp_swiglu in plain loops: two inner products for each element between, the gate through its logistic function, times
// the other; then one inner product for each element of y.
#pragma once

#include <vector>

#include "harness/op/reference.h"
#include "reference/swiglu.h"

namespace assay::reference {

template <class S>
void mlp_swiglu(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), width = io.dim("aE"), inner = io.dim("aI");
  const auto &x = io.in("x"), &w1 = io.in("w1"), &w2 = io.in("w2");  // (T, aE), (2 aI, aE), (aE, aI)
  const auto &b1 = io.in("b1"), &b2 = io.in("b2");                   // (2 aI), (aE), or nothing
  auto &h = io.out("h"), &g = io.out("g"), &y = io.out("y");         // (T, 2 aI), (T, aI), or nothing, and (T, aE)
  const auto round_h = io.rounding("h"), round_g = io.rounding("g");

  const auto project = [&](int64_t t, int64_t n) {
    Sum<S> total;
    if (io.has("b1")) total.add(b1[n]);
    for (int64_t e = 0; e < width; ++e) total.add_product(x(t, e), w1(n, e));
    if (io.has("h")) h(t, n) = total.value();
    return round_h(total.value());
  };
  const double flops = 6.0 * static_cast<double>(tokens) * static_cast<double>(width * inner);
  for (const int64_t t : io.rows(tokens, flops)) {
    std::vector<S> gated;
    for (int64_t i = 0; i < inner; ++i) {
      const S gate = project(t, i), up = project(t, inner + i);
      gated.push_back(gate * logistic(gate).value * up);
      if (io.has("g")) g(t, i) = gated.back();
      gated.back() = round_g(gated.back());
    }
    for (int64_t e = 0; e < width; ++e) {
      Sum<S> total;
      if (io.has("b2")) total.add(b2[e]);
      for (int64_t i = 0; i < inner; ++i) total.add_product(gated[static_cast<size_t>(i)], w2(e, i));
      y(t, e) = total.value();
    }
  }
}

}  // namespace assay::reference
