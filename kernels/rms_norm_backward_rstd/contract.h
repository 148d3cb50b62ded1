// rms_norm_backward_rstd: what it means. The gradients of rms_norm_forward from the rstd that it saved.
//
// Rows lie aE elements apart, of which the last `pad` are padding: those of dy and x are not read, dx's are written as
// 0. The mean is over the true E = aE - pad. dgamma is overwritten, and f32 whatever the dtype. With alias=dx:dy, dx
// goes where dy was: whoever needs dy for dgamma reads it before.
//
// Magnitudes keep every intermediate of a plain f32 kernel finite: x·rstd is at most the root of E; x up to 1e12 leaves
// rstd³ (1e-36) in range, and gamma up to 1e6 leaves products with dy up to 1e3 far from overflow.
#pragma once

#include <cmath>

#include "kernels/properties/scale.h"
#include "kernels/properties/slices.h"
#include "kernels/rms_norm/problem.h"
#include "reference/rms_norm_backward_rstd.h"

namespace assay::ops::rms_norm_backward_rstd {

inline constexpr double kEps = 1e-5;  // of the forward that saved rstd

inline void make_gamma(const Case& c, Rng& rng, Tensor& gamma) {
  apply_fill(data::not_all_equal(data::not_subnormal(c)), rng, 1e6, gamma);
}

inline void derive_rstd(const Case& c, const Tensors& earlier, Tensor& rstd) {
  const Tensor& x = earlier.get("x");
  const int64_t stride = c.dim("aE"), dim = rms_norm::true_dim(c);
  for (int64_t t = 0; t < rstd.count(); ++t) {
    double squares = 0;
    for (int64_t i = t * stride; i < t * stride + dim; ++i) squares += x.at(i) * x.at(i);
    rstd.set(t, 1 / std::sqrt(squares / static_cast<double>(dim) + kEps));
  }
}

// Makes dx with factor(c)·(sum of dy gamma xhat) in the place of the mean, and with or without gamma.
inline Mutant with_factor(std::string name, double (*factor)(const Case& c), bool with_gamma = true) {
  return {std::move(name), [=](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
            const Tensor &dy = given.get("dy"), &x = given.get("x"), &rstd = given.get("rstd");
            const auto weight = [&](int64_t d) { return with_gamma ? given.get("gamma").at(d) : 1; };
            const int64_t stride = c.dim("aE"), dim = rms_norm::true_dim(c);
            for (int64_t t = 0; t < c.dim("T"); ++t) {
              double dots = 0;
              const int64_t row = t * stride;
              for (int64_t d = 0; d < dim; ++d) dots += dy.at(row + d) * weight(d) * x.at(row + d) * rstd.at(t);
              for (int64_t d = 0; d < dim; ++d)
                outputs[0](t, d) =
                    rstd.at(t) * (dy.at(row + d) * weight(d) - x.at(row + d) * rstd.at(t) * dots * factor(c));
            }
          }};
}

inline double one_over_dim(const Case& c) { return 1 / static_cast<double>(rms_norm::true_dim(c)); }
inline double one_over_stride(const Case& c) { return 1 / static_cast<double>(c.dim("aE")); }

// dgamma with `gradient` in the place of dy, over the rows first … last-1.
template <class Gradient>
void make_dgamma(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs, int64_t rows,
                 Gradient gradient) {
  const Tensor &x = given.get("x"), &rstd = given.get("rstd");
  const int64_t stride = c.dim("aE");
  for (int64_t d = 0; d < rms_norm::true_dim(c); ++d) {
    double sum = 0;
    for (int64_t t = 0; t < rows; ++t) sum += gradient(t * stride + d) * x.at(t * stride + d) * rstd.at(t);
    outputs[1][d] = sum;
  }
}

// dgamma from what lies where dy was, as a kernel in place has it that comes too late.
inline void take_dx_for_dy(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  make_dgamma(c, given, outputs, c.dim("T"), [&](int64_t i) { return outputs[0][i]; });
}

inline Contract contract() {
  return {
      .name = "rms_norm_backward_rstd",
      .summary =
          "E = aE - pad; xhat = x rstd, m_t = sum_{d<E} dy gamma xhat / E; dx = rstd (dy gamma - xhat m) and 0 where "
          "d >= E; dgamma = sum over tokens of dy xhat",
      .dims = rms_norm::dims(),
      .repeats_along = {"T"},
      .attrs = {{.name = "alias", .meaning = "whether dx is where dy was", .choices = {"none", "dx:dy"}}},
      .tensors = {{.name = "dy",
                   .shape = {"T", "aE"},
                   .make = data::partner_up_to(1e3),
                   .aliases = {"g", "dout", "do", "grad", "grad_out", "grad_output"},
                   .regions = rms_norm::dead_pads},  // (T, aE)
                  {.name = "x",
                   .shape = {"T", "aE"},
                   .magnitude = 1e12,
                   .aliases = {"inp", "hidden_states"},
                   .regions = rms_norm::dead_pads},  // (T, aE)
                  {.name = "gamma",                  // (E)
                   .make = make_gamma,
                   .shape_by = rms_norm::true_row,
                   .aliases = {"w", "weight", "scale"}},
                  {.name = "rstd",
                   .shape = {"T"},
                   .dtype = DType::f32,
                   .derive = derive_rstd,
                   .aliases = {"rrms", "inv_rms", "inv_std", "rsigma", "invvar"}},  // (T)
                  {.name = "dx",
                   .role = Role::output,
                   .shape = {"T", "aE"},
                   .aliases = {"din", "dinp", "grad_in", "grad_inp", "grad_input"}},  // (T, aE)
                  {.name = "dgamma",                                                  // (E)
                   .role = Role::output,
                   .dtype = DType::f32,
                   .shape_by = rms_norm::true_row,
                   .aliases = {"dw", "dweight", "grad_w", "grad_weight", "grad_gamma"}}},
      .constraint = rms_norm::row_of_padding_only,
      .adjust = [](Case& c) { c.set("pad", std::to_string(std::min(c.dim("pad"), c.dim("aE") - 1))); },
      .reference = reference_from([](auto& io) { reference::rms_norm_backward_rstd(io); }),
      .properties = {properties::slices_are_independent({{"dy", {"aE"}}, {"x", {"aE"}}, {"rstd", {}}},
                                                        {{"dx", {"aE"}}}),
                     properties::doubles_with({"dy"}, {"dx", "dgamma"})},
      .mutants = {with_factor("projection_left_out", [](const Case&) { return 0.0; }),
                  with_factor("divided_by_padded_width", one_over_stride),
                  with_factor("gamma_left_out", one_over_dim, false),
                  {"dgamma_lost_last_row",
                   [](const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
                     make_dgamma(c, given, outputs, c.dim("T") - 1, [&](int64_t i) { return given.get("dy").at(i); });
                   }},
                  {"dgamma_of_overwritten_dy", take_dx_for_dy}},
      .flops = [](const Case& c) { return 10.0 * static_cast<double>(c.dim("T") * rms_norm::true_dim(c)); },
  };
}

}  // namespace assay::ops::rms_norm_backward_rstd
