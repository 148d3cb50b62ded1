// softmax_forward in plain loops: maximum, sum of exponentials, quotient.
#pragma once

#include <limits>

#include "harness/op/reference.h"

namespace assay::reference {

template <class S>
void softmax_forward(ReferenceIo<S>& io) {
  const int64_t rows = io.dim("rows"), cols = io.dim("cols");
  const auto& x = io.in("x");  // (rows, cols)
  auto& y = io.out("y");       // (rows, cols)

  for (int64_t r = 0; r < rows; ++r) {
    S row_max = S(-std::numeric_limits<double>::infinity());
    for (int64_t c = 0; c < cols; ++c) row_max = larger(row_max, x(r, c));
    Sum<S> total;
    for (int64_t c = 0; c < cols; ++c) total.add(exp(x(r, c) - row_max));
    const S scale = shared(S(1) / total.value());
    for (int64_t c = 0; c < cols; ++c) y(r, c) = exp(x(r, c) - row_max) * scale;
  }
}

}  // namespace assay::reference
