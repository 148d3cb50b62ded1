// The common part of the contracts of layer_norm_forward and layer_norm_backward: dims, eps, and data.
#pragma once

#include <cmath>

#include "harness/op/contract.h"
#include "kernels/data/tensors.h"

namespace assay::ops::layer_norm {

inline std::vector<DimSpec> dims() {
  return {{.name = "T",
           .meaning = "tokens",
           .min = 0,
           .aliases = {"N", "M", "rows", "BT", "B", "tokens", "num_tokens", "batch", "batch_size", "seq_len"}},
          {.name = "E",
           .meaning = "elements of a row",
           .boundary = {1, 2, 31, 33, 768, 1025},
           .aliases = {"C", "D", "N", "dim", "cols", "hidden", "hidden_dim", "hidden_size", "embed_dim", "n_embd",
                       "row_size", "width", "normalized_shape"}}};
}

inline AttrSpec eps() {
  return {.name = "eps",
          .meaning = "added to the variance, under the root",
          .choices = {"1e-5", "1e-6", "1e-3", "1e-12"},
          .aliases = {"epsilon", "norm_eps", "layer_norm_eps", "variance_epsilon"}};
}

inline std::vector<std::string> weight_names() { return {"w", "g", "weight", "scale"}; }
inline std::vector<std::string> bias_names() { return {"bias", "shift"}; }

// Finite too: infinity times what cancelling leaves of x less its mean is one of both signs.
inline void make_weight(const Case& c, Rng& rng, Tensor& weight) {
  apply_fill(data::not_subnormal(c), rng, 1e6, weight);
  for (int64_t i = 0; i < weight.count(); ++i)
    if (std::isinf(weight.at(i))) weight.set(i, 1);
}

// One row in four lies around 8 instead of 0, whose mean must be subtracted; one in four is a thousandth of the fill,
// beside which eps counts. A row of one large value has no variance but what roundings of its mean make, so that any
// result is right: three of four get a zero.
inline void make_rows(const Case& c, Rng& rng, double largest, Tensor& x) {
  apply_fill(c, rng, largest, x);
  if (c.fill == "subnormal") return;
  const int64_t dim = c.dim("E");
  Rng kinds = Rng::stream(c.seed, "x/rows");
  for (int64_t row = 0; row < x.count(); row += dim) {
    const uint64_t kind = kinds.below(4);
    for (int64_t i = row; i < row + dim; ++i) {
      if (kind == 1 && std::fabs(x.at(i)) < 1e3) x.set(i, x.at(i) + 8);
      if (kind == 2) x.set(i, x.at(i) * 0x1p-10);
    }
    bool all_equal = dim > 1 && std::fabs(x.at(row)) > 1e3;
    for (int64_t i = row; i < row + dim && all_equal; ++i) all_equal = x.at(i) == x.at(row);
    if (all_equal && kind != 3) x.set(row + static_cast<int64_t>(kinds.below(static_cast<uint64_t>(dim))), 0);
  }
}

inline void make_x(const Case& c, Rng& rng, Tensor& x) { make_rows(c, rng, 1e12, x); }

// Computed in double, for inputs that a forward saved and for mutants.
struct Moments {
  double mean, variance;
};

inline Moments moments(const Tensor& x, int64_t row, int64_t dim) {
  double sum = 0, squares = 0;
  for (int64_t i = row * dim; i < (row + 1) * dim; ++i) sum += x.at(i);
  const double mean = sum / static_cast<double>(dim);
  for (int64_t i = row * dim; i < (row + 1) * dim; ++i) squares += (x.at(i) - mean) * (x.at(i) - mean);
  return {mean, squares / static_cast<double>(dim)};
}

}  // namespace assay::ops::layer_norm
