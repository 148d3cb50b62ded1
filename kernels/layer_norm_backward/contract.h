// layer_norm_backward: what it means. The gradients of layer_norm_forward from the mean and rstd that it saved.
//
// Two attributes tell what is overwritten and what is added to: one for dx, one for dgamma and dbeta together, which
// are f32 whatever the dtype.
#pragma once

#include <cmath>

#include "kernels/data/tensors.h"
#include "kernels/layer_norm/problem.h"
#include "kernels/properties/rows.h"
#include "kernels/properties/slices.h"
#include "reference/layer_norm_backward.h"

namespace assay::ops::layer_norm_backward {

inline void make_gamma(const Case& c, Rng& rng, Tensor& gamma) {
  apply_fill(data::not_all_equal(data::not_subnormal(c)), rng, 1e6, gamma);
}

inline void make_initial(const Case& c, Rng& rng, Tensor& gradient) { apply_fill(c, rng, 1e3, gradient); }

inline constexpr double kEps = 1e-5;  // of the forward that saved rstd

inline void derive_mean(const Case& c, const Tensors& earlier, Tensor& mean) {
  for (int64_t t = 0; t < mean.count(); ++t) mean.set(t, layer_norm::moments(earlier.get("x"), t, c.dim("E")).mean);
}

inline void derive_rstd(const Case& c, const Tensors& earlier, Tensor& rstd) {
  for (int64_t t = 0; t < rstd.count(); ++t)
    rstd.set(t, 1 / std::sqrt(layer_norm::moments(earlier.get("x"), t, c.dim("E")).variance + kEps));
}

// dx with shares of the two means taken out of it: a right kernel takes both.
inline Mutant with_shares(std::string name, double of_mean, double of_dot) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const Tensor &dy = given.get("dy"), &x = given.get("x"), &gamma = given.get("gamma"),
                         &mean = given.get("mean"), &rstd = given.get("rstd"), &initial = given.get("dx");
            const int64_t dim = c.dim("E");
            for (int64_t t = 0; t < c.dim("T"); ++t) {
              double sum = 0, dots = 0;
              const auto scaled = [&](int64_t d) { return dy.at(t * dim + d) * gamma.at(d); };
              const auto xhat = [&](int64_t d) { return (x.at(t * dim + d) - mean.at(t)) * rstd.at(t); };
              for (int64_t d = 0; d < dim; ++d) sum += scaled(d), dots += scaled(d) * xhat(d);
              const double mean_scaled = of_mean * sum / static_cast<double>(dim),
                           mean_dot = of_dot * dots / static_cast<double>(dim);
              for (int64_t d = 0; d < dim; ++d)
                outputs[0](t, d) = rstd.at(t) * (scaled(d) - mean_scaled - xhat(d) * mean_dot) +
                                   (c.text("dx") == "accumulate" ? initial.at(t * dim + d) : 0);
            }
          }};
}

inline void lose_last_row(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const Tensor &dy = given.get("dy"), &x = given.get("x"), &mean = given.get("mean"), &rstd = given.get("rstd");
  const int64_t dim = c.dim("E"), t = c.dim("T") - 1;
  if (t < 0) return;
  for (int64_t d = 0; d < dim; ++d) {
    outputs[1][d] -= dy.at(t * dim + d) * (x.at(t * dim + d) - mean.at(t)) * rstd.at(t);
    outputs[2][d] -= dy.at(t * dim + d);
  }
}

inline std::optional<std::string> order_matters(const PropertyRun& run) {
  if (run.c.dim("T") < 2) return std::nullopt;
  Tensors given = run.given;
  for (const char* name : {"dy", "x", "dx"}) given.get(name) = properties::reversed_rows(run.given.get(name));
  for (const char* name : {"mean", "rstd"}) given.get(name) = properties::reversed_slices(run.given.get(name), 1);
  Result<Tensors> got = run.run(run.c, given);
  if (!got) return got.error().what;
  got->get("dx") = properties::reversed_rows(got->get("dx"));
  if (auto seen = properties::first_disagreement(run, *got, {"dx"})) return seen;
  return properties::first_disagreement_of(run, run.c, given, *got, {"dgamma", "dbeta"});  // sums in another order
}

// A constant added to a row of x changes nothing, so a row of dx adds up to 0, except for the saved mean's error.
inline std::optional<std::string> rows_do_not_cancel(const PropertyRun& run) {
  if (run.c.text("dx") != "overwrite") return std::nullopt;
  const Tensor &dy = run.given.get("dy"), &x = run.given.get("x"), &gamma = run.given.get("gamma"),
               &mean = run.given.get("mean"), &rstd = run.given.get("rstd"), &dx = run.got.get("dx");
  const std::vector<double> budget = run.budget("dx");
  const int64_t dim = run.c.dim("E");
  for (int64_t t = 0; t < run.c.dim("T"); ++t) {
    double dots = 0, residue = 0, total = 0, allowed = 0, magnitude = 0;
    for (int64_t i = t * dim; i < (t + 1) * dim; ++i) {
      const double xhat = (x.at(i) - mean.at(t)) * rstd.at(t);
      dots += dy.at(i) * gamma.at(i - t * dim) * xhat;
      residue += xhat;
      total += dx.at(i);
      magnitude += std::fabs(dx.at(i));
      allowed += budget[static_cast<size_t>(i)];
    }
    const double want = -rstd.at(t) * dots / static_cast<double>(dim) * residue;
    allowed += 0x1p-40 * (magnitude + std::fabs(want));           // the additions here, in double
    if (!std::isfinite(want) || !std::isfinite(total)) continue;  // what may be non-finite is the reference's question
    if (!(std::fabs(total - want) <= allowed))
      return fmt::format("row {} of dx adds up to {:.9g}, not to {:.9g} ± {:.3g}", t, total, want, allowed);
  }
  return std::nullopt;
}

inline TensorSpec weight_gradient(std::string name, std::vector<std::string> aliases) {
  return {.name = std::move(name),
          .role = Role::output,
          .shape = {"E"},
          .dtype = DType::f32,
          .make = make_initial,
          .aliases = std::move(aliases),
          .role_by = data::role_by("dw")};
}

inline Contract contract() {
  const std::vector<std::string> choices = {"overwrite", "accumulate"};
  return {
      .name = "layer_norm_backward",
      .summary =
          "g = dy gamma, xhat = (x - mean) rstd; dx = rstd (g - mean of g - xhat times the mean of g xhat), dgamma = "
          "sum over tokens of dy xhat, dbeta = sum of dy; overwritten or added to",
      .dims = layer_norm::dims(),
      .repeats_along = {"T"},
      .attrs = {{.name = "dx", .meaning = "what becomes of dx", .choices = choices},
                {.name = "dw", .meaning = "what becomes of dgamma and dbeta", .choices = choices}},
      .tensors = {{.name = "dy",
                   .shape = {"T", "E"},
                   .make = data::partner_up_to(1e3),
                   .aliases = {"dout", "grad", "grad_out", "grad_output"}},
                  {.name = "x", .shape = {"T", "E"}, .make = layer_norm::make_x, .aliases = {"inp", "input"}},
                  {.name = "gamma", .shape = {"E"}, .make = make_gamma, .aliases = layer_norm::weight_names()},
                  {.name = "mean", .shape = {"T"}, .dtype = DType::f32, .derive = derive_mean, .aliases = {"mu"}},
                  {.name = "rstd",
                   .shape = {"T"},
                   .dtype = DType::f32,
                   .derive = derive_rstd,
                   .aliases = {"inv_std", "rsigma", "invvar"}},
                  {.name = "dx",
                   .role = Role::output,
                   .shape = {"T", "E"},
                   .make = make_initial,
                   .aliases = {"dinp", "din", "grad_in", "grad_inp", "grad_input"},
                   .role_by = data::role_by("dx")},
                  weight_gradient("dgamma", {"dw", "dweight", "grad_w", "grad_weight", "grad_gamma"}),
                  weight_gradient("dbeta", {"db", "dbias", "grad_b", "grad_bias", "grad_beta"})},
      .reference = reference_from([](auto& io) { reference::layer_norm_backward(io); }),
      .roundings = {{"normalised", "(x - mean) rstd, stored"},
                    {"scaled", "dy gamma, the gradient of the normalised x, stored"}},
      .properties = {{.name = "token_order",
                      .states = "reversing the tokens reverses dx and leaves dgamma and dbeta",
                      .broken = order_matters},
                     {.name = "rows_cancel", .states = "a row of dx adds up to nothing", .broken = rows_do_not_cancel}},
      .mutants = {with_shares("mean_left_out", 0, 1),
                  with_shares("projection_left_out", 1, 0),
                  {"last_row_lost", lose_last_row}},
      .flops = [](const Case& c) { return 14.0 * static_cast<double>(c.dim("T") * c.dim("E")); },
  };
}

}  // namespace assay::ops::layer_norm_backward
