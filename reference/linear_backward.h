// linear_backward in plain loops: dX = dY W by tokens, then dW = dYᵀ X and db = Σ dY by rows of W.
#pragma once

#include <vector>

#include "harness/op/last_outputs.h"
#include "reference/columns.h"

namespace assay::reference {

template <class S>
void linear_backward(ReferenceIo<S>& io) {
  const int64_t tokens = io.dim("T"), outs = io.dim("N"), ins = io.dim("K");
  const bool adds_dx = io.text("dx") == "accumulate", adds_dw = io.text("dw") == "accumulate";
  const auto& dy = io.in("dy");                               // (T, N)
  const auto& x = io.in("x");                                 // (T, K)
  const auto& w = io.in("w");                                 // (N, K)
  auto& dx = io.out("dx");                                    // (T, K)
  auto& dw = io.out("dw");                                    // (N, K)
  auto& db = io.out("db");                                    // (N)
  const auto dx_before = dx, dw_before = dw, db_before = db;  // rows() forgets them where it gives a sample

  const double flops = 4.0 * static_cast<double>(tokens) * static_cast<double>(outs * ins);
  const std::vector<int64_t> some_outs = rows_of(io, {"dw", "db"}, outs, flops);
  for (const int64_t t : rows_of(io, {"dx"}, tokens, flops))
    sum_columns<S>(
        outs, ins,
        [&](Sum<S>& total, int64_t k) {
          if (adds_dx) total.add(dx_before(t, k));
        },
        [&](Sum<S>& total, int64_t n, int64_t k) { total.add_product(dy(t, n), w(n, k)); },
        [&](int64_t k, S total) { dx(t, k) = total; });
  for (const int64_t n : some_outs) {
    Sum<S> bias;
    if (adds_dw) bias.add(db_before[n]);
    for (int64_t t = 0; t < tokens; ++t) bias.add(dy(t, n));
    db[n] = bias.value();
    for (int64_t k = 0; k < ins; ++k) {
      Sum<S> total;
      if (adds_dw) total.add(dw_before(n, k));
      for (int64_t t = 0; t < tokens; ++t) total.add_product(dy(t, n), x(t, k));
      dw(n, k) = total.value();
    }
  }
}

}  // namespace assay::reference
