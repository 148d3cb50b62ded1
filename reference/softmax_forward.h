// softmax_forward in plain loops: maximum, sum of exponentials, quotient.
//
// Forms: with the exponentials to base 2 of products with log2(e), and with the logarithm of the sum instead of the
// sum. Both take the difference of two rounded numbers as large as x, so they are right only where that leaves digits.
#pragma once

#include <limits>

#include "reference/exponential.h"

namespace assay::reference {

template <class S>
void softmax_forward(ReferenceIo<S>& io) {
  const int64_t rows = io.dim("rows"), cols = io.dim("cols");
  const auto& x = io.in("x");  // (rows, cols)
  auto& y = io.out("y");       // (rows, cols)
  const Rounding<S> round_exp = io.rounding("exp");
  const bool base_2 = io.in_form("exp2"), by_lse = io.in_form("exp_of_x_minus_lse");

  for (int64_t r = 0; r < rows; ++r) {
    S row_max = S(-std::numeric_limits<double>::infinity());
    for (int64_t c = 0; c < cols; ++c) row_max = larger(row_max, x(r, c));
    const Exponential<S> exponential(row_max, base_2);
    Sum<S> total;
    for (int64_t c = 0; c < cols; ++c) total.add(exponential(x(r, c)));
    const S lse = shared(row_max + log(total.value()));
    const S scale = shared(S(1) / total.value());
    for (int64_t c = 0; c < cols; ++c)
      y(r, c) = by_lse && is_well_known(lse) ? exp(x(r, c) - lse) : round_exp(exponential(x(r, c))) * scale;
  }
}

}  // namespace assay::reference
