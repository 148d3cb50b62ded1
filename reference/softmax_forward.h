// softmax_forward in plain loops: maximum, sum of exponentials, quotient, over the columns that a row sees.
//
// Other formulas: with the exponentials to base 2 of products with log2(e), and with the logarithm of the sum instead
// of the sum. Both take the difference of two rounded numbers as large as x, so they are right only where that leaves
// digits.
#pragma once

#include <limits>

#include "reference/exponential.h"
#include "reference/softmax_rows.h"

namespace assay::reference {

template <class S>
void softmax_forward(ReferenceIo<S>& io, const SoftmaxRows& a) {
  const auto& x = io.in("x");  // (heads*rows, cols)
  auto& y = io.out("y");       // (heads*rows, cols)
  const Rounding<S> round_exp = io.rounding("exp");
  const bool base_2 = io.by_formula("exp2"), by_lse = io.by_formula("exp_of_x_minus_lse");

  const double flops = 5.0 * static_cast<double>(a.rows() * a.cols);
  io.each_row(a.rows(), flops, [&](int64_t r) {
    const int64_t seen = a.seen(r);
    const auto scaled = [&](int64_t c) { return a.scale == 1 ? x(r, c) : x(r, c) * S(a.scale); };
    S row_max = S(-std::numeric_limits<double>::infinity());
    for (int64_t c = 0; c < seen; ++c) row_max = larger(row_max, scaled(c));
    const Exponential<S> exponential(row_max, base_2);
    Sum<S> total;
    for (int64_t c = 0; c < seen; ++c) total.add(exponential(scaled(c)));
    const S lse = shared(row_max + log(total.value()));
    const S quotient = shared(S(1) / total.value());
    for (int64_t c = 0; c < a.cols; ++c)
      y(r, c) = c >= seen                      ? S(0)
                : by_lse && is_well_known(lse) ? exp(scaled(c) - lse)
                                               : round_exp(exponential(scaled(c))) * quotient;
  });
}

}  // namespace assay::reference
