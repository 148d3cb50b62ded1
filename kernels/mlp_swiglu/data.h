// The data of mlp_swiglu: what lies between the products stays so small that a kernel may store it in f16.
#pragma once

#include <algorithm>
#include <cmath>

#include "harness/op/contract.h"
#include "kernels/data/exponents.h"
#include "kernels/data/tensors.h"

namespace assay::ops::mlp_swiglu {

inline constexpr double kLargest = 8;
inline constexpr double kProductMax = 32;  // of a row of x and one of W1; g is at most (32 + 8)² then

inline void make_values(const Case& c, Rng& rng, Tensor& tensor) {
  apply_fill(data::not_exponents(c), rng, kLargest, tensor);
}

inline void make_factor(const Case& c, Rng& rng, Tensor& tensor) { make_values(data::not_subnormal(c), rng, tensor); }

// In cases of fill=exponents a row of x is one number with the signs of one vector, as queries of attention are.
inline void make_x(const Case& c, Rng& rng, Tensor& x) {
  if (data::asks_for_exponents(c)) return data::make_exponent_queries(c, rng, c.dim("aE"), c.dim("aE"), x);
  make_values(c, rng, x);
}

// And the gates are what the fill has: the first half of the rows of W1.
inline void make_exponent_gates(const Case& c, Rng& rng, Tensor& w1) {
  const int64_t width = c.dim("aE"), inner = c.dim("aI");
  Tensor gates("gates", w1.dtype(), Role::input, {inner, 1}), rows("rows", w1.dtype(), Role::input, {inner, width});
  apply_fill(c, rng, 0, gates);
  data::make_heads_of_one_size(
      c, width, width, [&](int64_t row) { return gates.at(row) / static_cast<double>(width); }, rows);
  for (int64_t i = 0; i < rows.count(); ++i) w1.set(i, rows.at(i));
}

// The largest length of a row, of its finite elements.
inline double longest_row(const Tensor& matrix) {
  const int64_t rows = matrix.shape()[0], cols = matrix.shape()[1];
  double longest = 0;
  for (int64_t r = 0; r < rows; ++r) {
    double squares = 0;
    for (int64_t i = r * cols; i < (r + 1) * cols; ++i)
      if (std::isfinite(matrix.at(i))) squares += matrix.at(i) * matrix.at(i);
    longest = std::max(longest, std::sqrt(squares));
  }
  return longest;
}

// The data as the fill has it, times a power of two with which no product of rows exceeds kProductMax (Cauchy and
// Schwarz), but those that make gates to take exponentials of.
inline void derive_w1(const Case& c, const Tensors& earlier, Tensor& w1) {
  Rng rng = Rng::stream(c.seed, "w1");
  make_factor(c, rng, w1);
  const double largest = longest_row(earlier.get("x")) * longest_row(w1);
  const double factor = largest <= kProductMax ? 1 : std::exp2(std::floor(std::log2(kProductMax / largest)));
  for (int64_t i = 0; i < w1.count(); ++i)
    if (std::isfinite(w1.at(i))) w1.set(i, w1.at(i) * factor);
  if (data::asks_for_exponents(c)) make_exponent_gates(c, rng, w1);
}

}  // namespace assay::ops::mlp_swiglu
