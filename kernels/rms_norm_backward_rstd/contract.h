// rms_norm_backward_rstd: what it means. The gradients of rms_norm_forward from the rstd that it saved.
//
// Rows lie aE elements apart, of which the last `pad` are padding: those of dy and x are not read, dx's are written as
// 0. The mean is over the true E = aE - pad. dgamma is overwritten, and f32 whatever the dtype. With alias=dx:dy, dx
// goes where dy was: whoever needs dy for dgamma reads it before.
//
// Magnitudes keep every intermediate of a plain f32 kernel finite: x·rstd is at most the root of E; x up to 1e12 leaves
// rstd³ (1e-36) in range, and gamma up to 1e6 leaves products with dy up to 1e3 far from overflow.
#pragma once

#include <fmt/format.h>

#include <cmath>

#include "harness/op/contract.h"
#include "kernels/kv_cache/regions.h"
#include "kernels/properties/scale.h"
#include "kernels/properties/slices.h"
#include "reference/rms_norm_backward_rstd.h"

namespace assay::ops::rms_norm_backward_rstd {

inline constexpr double kEps = 1e-5;  // of the forward that saved rstd

inline int64_t true_dim(const Case& c) { return c.dim("aE") - c.dim("pad"); }

inline std::optional<Error> row_of_padding_only(const Case& c) {
  if (true_dim(c) >= 1) return std::nullopt;
  return Error{
      fmt::format("a row of aE={} elements, of which pad={} are padding, has none left", c.dim("aE"), c.dim("pad")),
      "make pad smaller than aE"};
}

inline Regions dead_pads(const Case& c) { return kv_cache::dead_pads(c.dim("T"), c.dim("aE"), c.dim("pad")); }

// Products of two subnormal numbers are 0, and zeros could hide anything: beside subnormal x and gamma, dy is normal.
inline void make_dy(const Case& c, Rng& rng, Tensor& dy) {
  Case filled = c;
  if (c.fill == "subnormal") filled.fill = "normal";
  apply_fill(filled, rng, 1e3, dy);
}

// Where x, gamma and dy are each one value, dx is 0 except for what cancelling leaves: gamma differs from place to
// place.
inline void make_gamma(const Case& c, Rng& rng, Tensor& gamma) {
  Case filled = c;
  if (c.fill == "all_equal" || c.fill == "subnormal") filled.fill = "normal";
  apply_fill(filled, rng, 1e6, gamma);
}

inline void derive_rstd(const Case& c, const Tensors& earlier, Tensor& rstd) {
  const Tensor& x = earlier.get("x");
  const int64_t stride = c.dim("aE"), dim = true_dim(c);
  for (int64_t t = 0; t < rstd.count(); ++t) {
    double squares = 0;
    for (int64_t i = t * stride; i < t * stride + dim; ++i) squares += x.at(i) * x.at(i);
    rstd.set(t, 1 / std::sqrt(squares / static_cast<double>(dim) + kEps));
  }
}

// Makes dx with `factor`·(sum of dy gamma xhat) in the place of the mean, and with `weight` in that of gamma.
template <class Weight>
void make_dx(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs, double factor,
             Weight weight) {
  const Tensor &dy = given.get("dy"), &x = given.get("x"), &rstd = given.get("rstd");
  const int64_t stride = c.dim("aE"), dim = true_dim(c);
  for (int64_t t = 0; t < c.dim("T"); ++t) {
    double dots = 0;
    const int64_t row = t * stride;
    for (int64_t d = 0; d < dim; ++d) dots += dy.at(row + d) * weight(d) * x.at(row + d) * rstd.at(t);
    for (int64_t d = 0; d < dim; ++d)
      outputs[0](t, d) = rstd.at(t) * (dy.at(row + d) * weight(d) - x.at(row + d) * rstd.at(t) * dots * factor);
  }
}

inline void leave_out_projection(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  make_dx(c, given, outputs, 0, [&](int64_t d) { return given.get("gamma").at(d); });
}

inline void divide_by_padded_width(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  make_dx(c, given, outputs, 1 / static_cast<double>(c.dim("aE")), [&](int64_t d) { return given.get("gamma").at(d); });
}

inline void leave_out_gamma(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  make_dx(c, given, outputs, 1 / static_cast<double>(true_dim(c)), [](int64_t) { return 1.0; });
}

// dgamma with `gradient` in the place of dy, over the rows first … last-1.
template <class Gradient>
void make_dgamma(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs, int64_t rows,
                 Gradient gradient) {
  const Tensor &x = given.get("x"), &rstd = given.get("rstd");
  const int64_t stride = c.dim("aE");
  for (int64_t d = 0; d < true_dim(c); ++d) {
    double sum = 0;
    for (int64_t t = 0; t < rows; ++t) sum += gradient(t * stride + d) * x.at(t * stride + d) * rstd.at(t);
    outputs[1][d] = sum;
  }
}

inline void lose_last_row(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  make_dgamma(c, given, outputs, c.dim("T") - 1, [&](int64_t i) { return given.get("dy").at(i); });
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
      .dims = {{.name = "T",
                .meaning = "tokens",
                .min = 0,
                .aliases = {"N", "M", "rows", "BT", "B", "tokens", "num_tokens", "batch", "batch_size", "seq_len"}},
               {.name = "aE",
                .meaning = "elements from one row to the next, padding included",
                .aliases = {"stride", "row_stride", "aligned_dim", "dim", "E", "C", "D", "N", "cols", "hidden",
                            "hidden_dim", "hidden_size", "embed_dim", "n_embd", "row_size", "width"}},
               {.name = "pad",
                .meaning = "elements of padding at the end of a row",
                .min = 0,
                .max = 255,
                .aliases = {"padding", "row_padding"}}},
      .attrs = {{.name = "alias", .meaning = "whether dx is where dy was", .choices = {"none", "dx:dy"}}},
      .tensors = {{.name = "dy",
                   .shape = {"T", "aE"},
                   .make = make_dy,
                   .aliases = {"g", "dout", "do", "grad", "grad_out", "grad_output"},
                   .regions = dead_pads},  // (T, aE)
                  {.name = "x",
                   .shape = {"T", "aE"},
                   .magnitude = 1e12,
                   .aliases = {"inp", "hidden_states"},
                   .regions = dead_pads},  // (T, aE)
                  {.name = "gamma",        // (E)
                   .make = make_gamma,
                   .shape_by = [](const Case& c) { return ShapeText{std::to_string(true_dim(c))}; },
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
                   .shape_by = [](const Case& c) { return ShapeText{std::to_string(true_dim(c))}; },
                   .aliases = {"dw", "dweight", "grad_w", "grad_weight", "grad_gamma"}}},
      .constraint = row_of_padding_only,
      .adjust = [](Case& c) { c.set("pad", std::to_string(std::min(c.dim("pad"), c.dim("aE") - 1))); },
      .reference = reference_from([](auto& io) { reference::rms_norm_backward_rstd(io); }),
      .properties = {properties::slices_are_independent({{"dy", {"aE"}}, {"x", {"aE"}}, {"rstd", {}}},
                                                        {{"dx", {"aE"}}}),
                     properties::doubles_with({"dy"}, {"dx", "dgamma"})},
      .mutants = {{"projection_left_out", leave_out_projection},
                  {"divided_by_padded_width", divide_by_padded_width},
                  {"gamma_left_out", leave_out_gamma},
                  {"dgamma_lost_last_row", lose_last_row},
                  {"dgamma_of_overwritten_dy", take_dx_for_dy}},
      .flops = [](const Case& c) { return 10.0 * static_cast<double>(c.dim("T") * true_dim(c)); },
  };
}

}  // namespace assay::ops::rms_norm_backward_rstd
