// softmax_backward in plain loops: a dot product per row, then one line.
#pragma once

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void softmax_backward(ReferenceIo<S>& io) {
  const int64_t rows = io.dim("rows"), cols = io.dim("cols");
  const auto& y = io.in("y");  // (rows, cols)
  const auto& g = io.in("g");  // (rows, cols)
  auto& dx = io.out("dx");     // (rows, cols)

  for (int64_t r = 0; r < rows; ++r) {
    Sum<S> products;
    for (int64_t c = 0; c < cols; ++c) products.add(y(r, c) * g(r, c));
    const S dot = shared(products.value());
    for (int64_t c = 0; c < cols; ++c) dx(r, c) = y(r, c) * (g(r, c) - dot);
  }
}

}  // namespace assay::reference
