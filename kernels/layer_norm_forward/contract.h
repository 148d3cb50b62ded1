// layer_norm_forward: what it means. Every token's row less its mean, over the root of its variance, times gamma, plus
// beta; mean and rstd are saved for backward.
//
// The variance is the biased one, sum of squares over E, and eps is added to it under the root. A NaN makes its whole
// row NaN. Magnitudes keep every intermediate of a plain f32 kernel finite: squares of x up to 1e12.
#pragma once

#include <cmath>

#include "kernels/layer_norm/problem.h"
#include "kernels/properties/agreement.h"
#include "kernels/properties/rows.h"
#include "reference/layer_norm_forward.h"

namespace assay::ops::layer_norm_forward {

// gamma and beta doubled double y and leave mean and rstd.
inline std::optional<std::string> not_linear_in_weights(const PropertyRun& run) {
  Tensors given = run.given;
  for (const char* name : {"gamma", "beta"})
    for (int64_t i = 0; i < given.get(name).count(); ++i) {
      Tensor& weight = given.get(name);
      if (!std::isfinite(weight.at(i))) continue;
      if (std::fabs(2 * weight.at(i)) > max_finite(weight.dtype())) return std::nullopt;
      weight.set(i, 2 * weight.at(i));
    }
  const Result<Tensors> got = run.run(run.c, std::move(given));
  if (!got) return got.error().what;
  const Tensor &once = run.got.get("y"), &twice = got->get("y");
  const std::vector<double> budget = run.budget("y");
  for (int64_t i = 0; i < once.count(); ++i)
    if (!properties::agree(once.dtype(), 2 * once.at(i), twice.at(i), 4 * budget[static_cast<size_t>(i)]))
      return fmt::format("y{} goes from {:.9g} to {:.9g}", index_text(once.shape(), i), once.at(i), twice.at(i));
  return properties::first_disagreement(run, *got, {"mean", "rstd"});
}

// Makes y and rstd with `inverse(mean, variance, eps)` and `centre(mean)`.
template <class Inverse, class Centre>
Mutant normalised_with(std::string name, Inverse inverse, Centre centre) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const Tensor &x = given.get("x"), &gamma = given.get("gamma"), &beta = given.get("beta");
            const int64_t dim = c.dim("E");
            const auto eps = static_cast<double>(static_cast<float>(c.real("eps")));
            for (int64_t t = 0; t < c.dim("T"); ++t) {
              const layer_norm::Moments row = layer_norm::moments(x, t, dim);
              outputs[2][t] = inverse(row, eps, static_cast<double>(dim));
              for (int64_t d = 0; d < dim; ++d)
                outputs[0](t, d) = (x.at(t * dim + d) - centre(row.mean)) * outputs[2][t] * gamma.at(d) + beta.at(d);
            }
          }};
}

inline double right_inverse(layer_norm::Moments row, double eps, double) { return 1 / std::sqrt(row.variance + eps); }

inline void leave_out_beta(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const Tensor& beta = given.get("beta");
  for (int64_t i = 0; i < c.dim("T") * c.dim("E"); ++i) outputs[0][i] -= beta.at(i % c.dim("E"));
}

inline Contract contract() {
  const auto mean = [](double value) { return value; };
  return {
      .name = "layer_norm_forward",
      .summary =
          "mean_t = sum_d x_td / E, rstd_t = 1/sqrt(sum_d (x_td - mean_t)^2 / E + eps); y_td = (x_td - mean_t) rstd_t "
          "gamma_d + beta_d",
      .dims = layer_norm::dims(),
      .repeats_along = {"T"},
      .attrs = {layer_norm::eps()},
      .tensors =
          {{.name = "x", .shape = {"T", "E"}, .make = layer_norm::make_x, .aliases = {"inp", "input"}},  // (T, E)
           {.name = "gamma",
            .shape = {"E"},
            .make = layer_norm::make_weight,
            .aliases = layer_norm::weight_names()},                                                         // (E)
           {.name = "beta", .shape = {"E"}, .magnitude = 1e6, .aliases = layer_norm::bias_names()},         // (E)
           {.name = "y", .role = Role::output, .shape = {"T", "E"}, .aliases = {"o", "out", "normed"}},     // (T, E)
           {.name = "mean", .role = Role::output, .shape = {"T"}, .dtype = DType::f32, .aliases = {"mu"}},  // (T)
           {.name = "rstd",
            .role = Role::output,
            .shape = {"T"},
            .dtype = DType::f32,
            .aliases = {"inv_std", "rsigma", "invvar"}}},  // (T)
      .reference = reference_from([](auto& io) { reference::layer_norm_forward(io); }),
      .roundings = {{"normalised", "(x - mean) rstd, stored before it is multiplied by gamma"}},
      .formulas = {{"one_pass", "the variance as the mean of x^2 less the square of the mean"}},
      .properties = {properties::rows_are_independent({"x"}, {"y"}),
                     {.name = "linear_in_weights",
                      .states = "doubling gamma and beta doubles y and leaves mean and rstd",
                      .broken = not_linear_in_weights}},
      .mutants = {normalised_with(
                      "eps_outside_root",
                      [](layer_norm::Moments row, double eps, double) { return 1 / (std::sqrt(row.variance) + eps); },
                      mean),
                  normalised_with(
                      "unbiased_variance",
                      [](layer_norm::Moments row, double eps, double dim) {
                        return 1 / std::sqrt(row.variance * dim / (dim - 1) + eps);
                      },
                      mean),
                  normalised_with(
                      "root_mean_square",
                      [](layer_norm::Moments row, double eps, double) {
                        return 1 / std::sqrt(row.variance + row.mean * row.mean + eps);
                      },
                      mean),
                  normalised_with("mean_left_in", right_inverse, [](double) { return 0.0; }),
                  {"beta_left_out", leave_out_beta}},
      .flops = [](const Case& c) { return 8.0 * static_cast<double>(c.dim("T") * c.dim("E")); },
  };
}

}  // namespace assay::ops::layer_norm_forward
