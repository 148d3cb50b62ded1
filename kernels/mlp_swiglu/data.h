// The data of mlp_swiglu: what lies between the products stays so small that a kernel may store it in f16.
#pragma once

#include <algorithm>
#include <cmath>

#include "harness/op/contract.h"
#include "kernels/data/tensors.h"

namespace assay::ops::mlp_swiglu {

inline constexpr double kLargest = 8;
inline constexpr double kProductMax = 32;  // of a row of x and one of W1; g is at most (32 + 8)² then

inline void make_values(const Case& c, Rng& rng, Tensor& tensor) { apply_fill(c, rng, kLargest, tensor); }

inline void make_factor(const Case& c, Rng& rng, Tensor& tensor) { make_values(data::not_subnormal(c), rng, tensor); }

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
// Schwarz).
inline void derive_w1(const Case& c, const Tensors& earlier, Tensor& w1) {
  Rng rng = Rng::stream(c.seed, "w1");
  make_factor(c, rng, w1);
  const double largest = longest_row(earlier.get("x")) * longest_row(w1);
  if (largest <= kProductMax) return;
  const double factor = std::exp2(std::floor(std::log2(kProductMax / largest)));
  for (int64_t i = 0; i < w1.count(); ++i)
    if (std::isfinite(w1.at(i))) w1.set(i, w1.at(i) * factor);
}

}  // namespace assay::ops::mlp_swiglu
