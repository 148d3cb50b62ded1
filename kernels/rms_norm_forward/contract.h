// rms_norm_forward: what it means. Every token's row over its root mean square, times gamma; rstd is saved for
// backward.
//
// Rows lie aE elements apart, of which the last `pad` are padding: x's are dead, y's are written as 0. E = aE - pad
// is at least 1, for the mean of nothing is no number. eps is added to the mean, under the root. A NaN makes its whole
// row NaN, except the padding.
//
// Magnitudes keep every intermediate of a plain f32 kernel finite: sums of 10^8 squares of x up to 1e15, and products
// with gamma up to 1e6.
#pragma once

#include <cmath>

#include "kernels/properties/agreement.h"
#include "kernels/properties/scale.h"
#include "kernels/properties/slices.h"
#include "kernels/rms_norm/problem.h"
#include "reference/rms_norm_forward.h"

namespace assay::ops::rms_norm_forward {

// Beside mean squares of order 1, an eps of 1e-5 is lost in the roundings of a long sum, inside the root or outside: so
// three in four rows are a thousandth of the fill, except the subnormal fill, which would become zeros.
inline void make_x(const Case& c, Rng& rng, Tensor& x) {
  apply_fill(c, rng, 1e15, x);
  if (c.fill == "subnormal") return;
  const int64_t stride = c.dim("aE");
  Rng sizes = Rng::stream(c.seed, "x/sizes");
  for (int64_t row = 0; row < x.count(); row += stride) {
    if (sizes.below(4) == 0) continue;
    for (int64_t i = row; i < row + stride; ++i) x.set(i, x.at(i) * 0x1p-10);
  }
}

// `matrix` with rows of `stride` elements: cut off, or with zeros at their ends.
inline Tensor with_stride(const Tensor& matrix, int64_t stride) {
  const int64_t rows = matrix.shape()[0], cols = matrix.shape()[1];
  Tensor wider(matrix.name(), matrix.dtype(), matrix.role(), {rows, stride});
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < stride; ++c) wider.set_bits(r * stride + c, c < cols ? matrix.bits(r * cols + c) : 0);
  return wider;
}

inline std::optional<std::string> changed_by_more_padding(const PropertyRun& run) {
  constexpr int64_t kMore = 5;
  const int64_t stride = run.c.dim("aE");
  Case wider = run.c;
  wider.set("aE", std::to_string(stride + kMore));
  wider.set("pad", std::to_string(run.c.dim("pad") + kMore));
  Tensors given;
  for (const Tensor& tensor : run.given)
    given.push_back(tensor.shape().size() == 2 ? with_stride(tensor, stride + kMore) : tensor);
  given.get("y").poison(Poison::first);
  Result<Tensors> got = run.run(wider, std::move(given));
  if (!got && got.error().what.starts_with("unsupported")) return std::nullopt;  // such a long row
  if (!got) return got.error().what;
  got->get("y") = with_stride(got->get("y"), stride);
  return properties::first_disagreement(run, *got, {"y", "rstd"});
}

// mean((2x)²) + 4 eps is 4 (mean(x²) + eps). An x whose squares are too large for that is not checked.
inline std::optional<std::string> changed_by_doubling_x(const PropertyRun& run) {
  Tensors given = run.given;
  Tensor& x = given.get("x");
  for (int64_t i = 0; i < x.count(); ++i)
    if (x.regions().at(i) == Region::plain && !(std::fabs(x.at(i)) <= 0x1p14)) return std::nullopt;
  properties::double_elements(x);
  Case doubled = run.c;
  doubled.set("eps", fmt::format("{:.9g}", 4 * static_cast<double>(static_cast<float>(run.c.real("eps")))));
  Result<Tensors> got = run.run(doubled, std::move(given));
  if (!got) return got.error().what;
  properties::double_elements(got->get("rstd"));
  return properties::first_disagreement(run, *got, {"y", "rstd"});
}

// Makes y and rstd from each token's 1/rms as `inverse(c, sum of squares, eps)` has it.
inline Mutant normalised_with(std::string name, double (*inverse)(const Case& c, double squares, double eps)) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const Tensor &x = given.get("x"), &gamma = given.get("gamma");
            const int64_t stride = c.dim("aE"), dim = rms_norm::true_dim(c);
            const auto eps = static_cast<double>(static_cast<float>(c.real("eps")));
            for (int64_t t = 0; t < c.dim("T"); ++t) {
              double squares = 0;
              for (int64_t d = 0; d < dim; ++d) squares += x.at(t * stride + d) * x.at(t * stride + d);
              const double inv = inverse(c, squares, eps);
              for (int64_t d = 0; d < dim; ++d) outputs[0](t, d) = x.at(t * stride + d) * inv * gamma.at(d);
              outputs[1][t] = inv;
            }
          }};
}

// y without gamma, from column first(c) to end(c) - 1.
inline Mutant without_gamma(std::string name, int64_t (*first)(const Case& c), int64_t (*end)(const Case& c)) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const Tensor& x = given.get("x");
            for (int64_t t = 0; t < c.dim("T"); ++t)
              for (int64_t d = first(c); d < end(c); ++d) outputs[0](t, d) = x.at(t * c.dim("aE") + d) * outputs[1][t];
          }};
}

inline Contract contract() {
  return {
      .name = "rms_norm_forward",
      .summary =
          "E = aE - pad; rstd_t = 1/sqrt(sum_{d<E} x_td^2 / E + eps); y_td = x_td rstd_t gamma_d, and 0 where d >= E",
      .dims = rms_norm::dims(),
      .repeats_along = {"T"},
      .attrs = {{.name = "eps",
                 .meaning = "added to the mean square",
                 .choices = {"1e-5", "1e-6", "1e-3", "1e-12"},
                 .aliases = {"epsilon", "rms_eps", "norm_eps", "rms_norm_eps", "variance_epsilon"}}},
      .tensors =
          {{.name = "x",
            .shape = {"T", "aE"},
            .make = make_x,
            .aliases = {"inp", "hidden_states"},
            .regions = rms_norm::dead_pads},  // (T, aE)
           {.name = "gamma",                  // (E)
            .make = data::partner_up_to(1e6),
            .shape_by = rms_norm::true_row,
            .aliases = {"w", "g", "weight", "scale"}},
           {.name = "y", .role = Role::output, .shape = {"T", "aE"}, .aliases = {"o", "out", "normed"}},  // (T, aE)
           {.name = "rstd",
            .role = Role::output,
            .shape = {"T"},
            .dtype = DType::f32,
            .aliases = {"rrms", "inv_rms", "inv_std", "rsigma", "invvar"}}},  // (T)
      .constraint = rms_norm::row_of_padding_only,
      .adjust = [](Case& c) { c.set("pad", std::to_string(std::min(c.dim("pad"), c.dim("aE") - 1))); },
      .reference = reference_from([](auto& io) { reference::rms_norm_forward(io); }),
      .roundings = {{"normalised", "x rstd, stored before it is multiplied by gamma"}},
      .properties = {properties::slices_are_independent({{"x", {"aE"}}}, {{"y", {"aE"}}, {"rstd", {}}}),
                     properties::doubles_with({"gamma"}, {"y"}),
                     {.name = "padding_does_not_count",
                      .states = "more padding changes nothing but the padding of y",
                      .broken = changed_by_more_padding},
                     {.name = "scales",
                      .states = "doubling x and quadrupling eps halves rstd and leaves y",
                      .broken = changed_by_doubling_x}},
      .mutants = {normalised_with("eps_outside_root",
                                  [](const Case& c, double squares, double eps) {
                                    return 1 / (std::sqrt(squares / static_cast<double>(rms_norm::true_dim(c))) + eps);
                                  }),
                  normalised_with("divided_by_padded_width",
                                  [](const Case& c, double squares, double eps) {
                                    return 1 / std::sqrt(squares / static_cast<double>(c.dim("aE")) + eps);
                                  }),
                  // As a loop over the whole row leaves the padding that takes gamma as 1 there.
                  without_gamma("padding_normalised", rms_norm::true_dim, [](const Case& c) { return c.dim("aE"); }),
                  without_gamma(
                      "gamma_left_out", [](const Case&) { return int64_t{0}; }, rms_norm::true_dim)},
      .flops = [](const Case& c) { return 4.0 * static_cast<double>(c.dim("T") * rms_norm::true_dim(c)); },
  };
}

}  // namespace assay::ops::rms_norm_forward
