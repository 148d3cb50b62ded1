// The common part of the contracts of swiglu_forward and swiglu_backward: dims, data and a property.
#pragma once

#include <algorithm>
#include <cmath>

#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"

namespace assay::ops::swiglu {

// Gradients of three factors of this size are finite in f32, and exp of it is not: a kernel that forms exp(-a) without
// care is found.
inline constexpr double kLargest = 1e6;

inline std::vector<DimSpec> dims() {
  return {{.name = "T",
           .meaning = "tokens",
           .min = 0,
           .aliases = {"N", "BT", "rows", "tokens", "num_tokens", "batch_size"}},
          {.name = "dim",
           .meaning = "elements of a token's gate, and of its upper half",
           .min = 0,
           .boundary = {3, 8, 66, 129},
           .aliases = {"I", "C", "cols", "hidden", "hidden_dim", "intermediate_size", "d_ff"}}};
}

// Where s(a) is below the numbers of f32, a kernel's is 0: times infinity that is NaN, where the mathematics has
// infinity. The contract leaves it open, so no such pair is made.
inline constexpr double kShut = -80;

// One row in two is spread wider than exp's range in f32: most of its gates are open or shut.
inline void make_input(const Case& c, Rng& rng, Tensor& in) {
  constexpr double kSpread = 64;
  const double largest = std::min(kLargest, max_finite(in.dtype()));
  apply_fill(c, rng, kLargest, in);
  const int64_t dim = c.dim("dim");
  Rng spreads = Rng::stream(c.seed, "in/spread");
  for (int64_t first = 0; first < in.count(); first += 2 * dim) {
    const bool spread = spreads.below(2) == 0 && c.fill != "exponents";
    for (int64_t i = first; i < first + 2 * dim; ++i)
      if (spread && std::fabs(in.at(i)) <= largest) in.set(i, std::clamp(kSpread * in.at(i), -largest, largest));
    for (int64_t i = first; i < first + dim; ++i)
      if (in.at(i) < kShut && std::isinf(in.at(dim + i))) in.set(dim + i, 1);
  }
}

inline TensorSpec input() {
  return {.name = "in",
          .shape = {"T", "2*dim"},
          .make = make_input,
          .aliases = {"x", "inp", "input", "h", "gate_up"},
          .parts = {{"gate", "g", "gate_proj"}, {"up", "u", "up_proj"}}};
}

// Data as the case's fill has it, but finite for a gate that is shut.
inline void make_gradient(const Case& c, const Tensors& earlier, Tensor& dy) {
  Rng rng = Rng::stream(c.seed, "dy");
  apply_fill(c, rng, kLargest, dy);
  const int64_t dim = c.dim("dim");
  const Tensor& in = earlier.get("in");
  for (int64_t i = 0; i < dy.count(); ++i)
    if (std::isinf(dy.at(i)) && in.at(i / dim * 2 * dim + i % dim) < kShut) dy.set(i, 1);
}

// The upper halves doubled; false where one overflows.
inline bool double_upper_half(const Case& c, Tensor& in) {
  const int64_t dim = c.dim("dim");
  for (int64_t i = 0; i < in.count(); ++i) {
    if (i % (2 * dim) < dim || !std::isfinite(in.at(i))) continue;
    if (std::fabs(2 * in.at(i)) > max_finite(in.dtype())) return false;
    in.set(i, 2 * in.at(i));
  }
  return true;
}

// The derivative of a s(a), and a s(a), in double.
inline double logistic(double a) { return a >= 0 ? 1 / (1 + std::exp(-a)) : std::exp(a) / (1 + std::exp(a)); }
inline double silu(double a) { return a * logistic(a); }
inline double silu_slope(double a) { return logistic(a) * (1 + a * logistic(-a)); }

}  // namespace assay::ops::swiglu
