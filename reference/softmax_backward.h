// softmax_backward in plain loops: a dot product per row, then one line.
//
// Form: y·g - y·dot instead of y·(g - dot), whose products are rounded where the difference is small.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void softmax_backward(ReferenceIo<S>& io) {
  const int64_t rows = io.dim("rows"), cols = io.dim("cols");
  const auto& y = io.in("y");  // (rows, cols)
  const auto& g = io.in("g");  // (rows, cols)
  auto& dx = io.out("dx");     // (rows, cols)
  const Rounding<S> round_product = io.rounding("gy"), round_dot = io.rounding("dot");
  const bool by_products = io.in_form("y_g_minus_y_dot");

  for (int64_t r = 0; r < rows; ++r) {
    Sum<S> products;
    for (int64_t c = 0; c < cols; ++c) products.add(round_product(y(r, c) * g(r, c)));
    const S dot = shared(round_dot(products.value()));
    for (int64_t c = 0; c < cols; ++c)
      dx(r, c) = by_products ? round_product(y(r, c) * g(r, c)) - y(r, c) * dot : y(r, c) * (g(r, c) - dot);
  }
}

}  // namespace assay::reference
