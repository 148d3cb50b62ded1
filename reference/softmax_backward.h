// softmax_backward in plain loops: a dot product per row over the columns that it sees, then one line.
//
// Other formulas: y·g - y·dot instead of y·(g - dot), whose products are rounded where the difference is small; and the
// sum over the row of the Jacobian y_j (δ_ij - y_i) times g_j, in which each of the products is.
#pragma once

#include "harness/op/reference.h"
#include "reference/softmax_rows.h"

namespace assay::reference {

// Products of a matrix beyond which no Jacobian is computed: minutes, of a formula that a kernel is only compared with
// where it misses the other ones.
inline constexpr int64_t kJacobianMax = 20'000'000;

template <class S>
void softmax_backward(ReferenceIo<S>& io, const SoftmaxRows& a) {
  const auto& y = io.in("y");  // (heads*rows, cols)
  const auto& g = io.in("g");  // (heads*rows, cols)
  auto& dx = io.out("dx");     // (heads*rows, cols)
  const Rounding<S> round_product = io.rounding("gy"), round_dot = io.rounding("dot");
  const bool by_products = io.by_formula("y_g_minus_y_dot");
  const bool by_jacobian = io.by_formula("jacobian") && a.rows() * a.cols * a.cols <= kJacobianMax;

  const double flops = 4.0 * static_cast<double>(a.rows() * a.cols);
  io.each_row(a.rows(), flops, [&](int64_t r) {
    const int64_t seen = a.seen(r);
    Sum<S> products;
    for (int64_t c = 0; c < seen; ++c) products.add(round_product(y(r, c) * g(r, c)));
    const S dot = shared(round_dot(products.value()));
    for (int64_t c = 0; c < seen; ++c) {
      if (by_jacobian) {
        Sum<S> terms;
        for (int64_t j = 0; j < seen; ++j) terms.add(y(r, j) * (S(j == c ? 1 : 0) - y(r, c)) * g(r, j));
        dx(r, c) = a.scale == 1 ? terms.value() : terms.value() * S(a.scale);
        continue;
      }
      const S each = by_products ? round_product(y(r, c) * g(r, c)) - y(r, c) * dot : y(r, c) * (g(r, c) - dot);
      dx(r, c) = a.scale == 1 ? each : each * S(a.scale);
    }
    for (int64_t c = seen; c < a.cols; ++c) dx(r, c) = S(0);
  });
}

}  // namespace assay::reference
