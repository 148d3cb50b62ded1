// residual_norm: what it means. A residual branch joined and normalised for the next layer: r = a + b, and y is the
// norm of r by rms_norm_forward (norm=rms) or layer_norm_forward (norm=layer). Both are outputs.
//
// With alias=r:a,y:b both go where their inputs were, as engines do it that keep no further buffer. y is the norm of
// the unrounded sum; a kernel that takes what it stored declares the rounding "r".
#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/layer_norm/problem.h"
#include "kernels/properties/slices.h"
#include "kernels/residual/problem.h"
#include "reference/residual_norm.h"

namespace assay::ops::residual_norm {

inline bool by_rms(const Case& c) { return c.text("norm") == "rms"; }

// Sums of both are finite in every dtype, also rounded.
inline double largest_of(const Tensor& branch) { return std::min(1e12, max_finite(branch.dtype()) / 4); }

inline void make_a(const Case& c, Rng& rng, Tensor& a) { layer_norm::make_rows(c, rng, largest_of(a), a); }
inline void make_b(const Case& c, Rng& rng, Tensor& b) { apply_fill(c, rng, largest_of(b), b); }

// y from each token's sums as `norm(sums, eps)` has the factor, and `centre` what is taken off before.
template <class Element, class Factor>
Mutant normalised_with(std::string name, Element element, Factor factor) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const Tensor &a = given.get("a"), &b = given.get("b"), &gamma = given.get("gamma"),
                         &beta = given.get("beta");
            const int64_t dim = c.dim("E");
            const auto eps = static_cast<double>(static_cast<float>(c.real("eps")));
            for (int64_t t = 0; t < c.dim("T"); ++t) {
              double sum = 0, squares = 0;
              const auto x = [&](int64_t d) { return element(a.at(t * dim + d), b.at(t * dim + d)); };
              for (int64_t d = 0; d < dim; ++d) sum += x(d);
              const double mean = by_rms(c) ? 0 : sum / static_cast<double>(dim);
              for (int64_t d = 0; d < dim; ++d) squares += (x(d) - mean) * (x(d) - mean);
              const double inv = factor(squares / static_cast<double>(dim), eps);
              for (int64_t d = 0; d < dim; ++d)
                outputs[1](t, d) = (x(d) - mean) * inv * gamma.at(d) + (by_rms(c) ? 0 : beta.at(d));
            }
          }};
}

inline void forget_branch(const Case&, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const Tensor& a = given.get("a");
  for (int64_t i = 0; i < a.count(); ++i) outputs[0][i] = a.at(i);
}

inline Contract contract() {
  const auto sum = [](double a, double b) { return a + b; };
  return {
      .name = "residual_norm",
      .summary =
          "r = a + b; norm=rms: y = r rstd gamma, rstd_t = 1/sqrt(sum_d r_td^2 / E + eps); norm=layer: y = (r - mean) "
          "rstd gamma + beta, rstd_t = 1/sqrt(sum_d (r_td - mean_t)^2 / E + eps)",
      .dims = layer_norm::dims(),
      .repeats_along = {"T"},
      .attrs = {{.name = "norm", .meaning = "which norm", .choices = {"rms", "layer"}},
                layer_norm::eps(),
                {.name = "alias",
                 .meaning = "whether r is where a was, and y where b was",
                 .choices = {"none", "r:a,y:b"}}},
      .tensors =
          {{.name = "a", .shape = {"T", "E"}, .make = make_a, .aliases = {"residual", "inp1", "x"}},           // (T, E)
           {.name = "b", .shape = {"T", "E"}, .make = make_b, .aliases = {"input", "inp2", "hidden_states"}},  // (T, E)
           {.name = "gamma",
            .shape = {"E"},
            .make = layer_norm::make_weight,
            .aliases = layer_norm::weight_names()},  // (E)
           {.name = "beta",
            .shape = {"E"},
            .magnitude = 1e6,
            .aliases = layer_norm::bias_names(),
            .absent = by_rms},                                                                      // (E)
           {.name = "r", .role = Role::output, .shape = {"T", "E"}, .aliases = {"residual_out"}},   // (T, E)
           {.name = "y", .role = Role::output, .shape = {"T", "E"}, .aliases = {"out", "normed"}},  // (T, E)
           {.name = "mean",
            .role = Role::output,
            .shape = {"T"},
            .dtype = DType::f32,
            .aliases = {"mu"},
            .absent = by_rms},
           {.name = "rstd",
            .role = Role::output,
            .shape = {"T"},
            .dtype = DType::f32,
            .aliases = {"inv_std", "rsigma", "invvar"}}},  // (T)
      .reference = reference_from([](auto& io) { reference::residual_norm(io); }),
      .roundings = {{"r", "a + b, rounded as it is stored, before it is normalised"},
                    {"normalised", "(r - mean) rstd, stored before it is multiplied by gamma"}},
      .formulas = {{"one_pass", "the variance as the mean of r^2 less the square of the mean",
                    [](const Case& c) { return !by_rms(c); }}},
      .properties = {properties::slices_are_independent({{"a", {"E"}}, {"b", {"E"}}},
                                                        {{"r", {"E"}}, {"y", {"E"}}, {"rstd", {}}}),
                     residual::exchanges("a and b exchanged give the same results", {"r", "y", "rstd"})},
      .mutants = {normalised_with(
                      "norm_of_a_alone", [](double a, double) { return a; },
                      [](double square, double eps) { return 1 / std::sqrt(square + eps); }),
                  normalised_with(
                      "norm_of_the_branch_alone", [](double, double b) { return b; },
                      [](double square, double eps) { return 1 / std::sqrt(square + eps); }),
                  normalised_with("eps_outside_root", sum,
                                  [](double square, double eps) { return 1 / (std::sqrt(square) + eps); }),
                  {"r_without_the_branch", forget_branch}},
      .flops = [](const Case& c) { return 8.0 * static_cast<double>(c.dim("T") * c.dim("E")); },
  };
}

}  // namespace assay::ops::residual_norm
