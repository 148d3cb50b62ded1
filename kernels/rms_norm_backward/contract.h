// rms_norm_backward: what it means. Gradients of x·w / sqrt(mean(x²) + eps), group by group; dw adds up over groups.
//
// Magnitudes keep every intermediate of a plain f32 kernel finite and normal: x up to 1e12 leaves x² and inv³ (1e-36)
// in range, w up to 1e6 leaves the sum of x·w·g far from overflow, and g up to 1e3 leaves dw's initial values visible
// in the sum.
#pragma once

#include "harness/op/contract.h"
#include "kernels/data/tensors.h"
#include "kernels/properties/rows.h"
#include "kernels/properties/scale.h"
#include "reference/rms_norm_backward.h"

namespace assay::ops::rms_norm_backward {

inline void make_w(const Case& c, Rng& rng, Tensor& w) { apply_fill(data::not_all_equal(c), rng, 1e6, w); }

// 1 / sqrt(mean(x²) + eps) of the group that starts at element `row`.
inline double inverse_rms(const Case& c, const Tensor& x, int64_t row) {
  const int64_t dim = c.dim("dim");
  double squares = 0;
  for (int64_t i = row; i < row + dim; ++i) squares += x.at(i) * x.at(i);
  return 1 / std::sqrt(squares / static_cast<double>(dim) + static_cast<double>(static_cast<float>(c.real("eps"))));
}

// dx without its second term, as if the root mean square did not depend on x.
inline void leave_out_projection(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const Tensor &x = given.get("x"), &g = given.get("g"), &w = given.get("w");
  for (int64_t row = 0; row < x.count(); row += w.count()) {
    const double inv = inverse_rms(c, x, row);
    for (int64_t d = 0; d < w.count(); ++d) outputs[0][row + d] = w.at(d) * inv * g.at(row + d);
  }
}

// dw without the last group's share: a grid that rounds the number of groups down.
inline void lose_last_group(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const Tensor &x = given.get("x"), &g = given.get("g");
  const int64_t dim = c.dim("dim"), row = (c.dim("G") - 1) * dim;
  if (row < 0) return;
  const double inv = inverse_rms(c, x, row);
  for (int64_t d = 0; d < dim; ++d) outputs[1][d] -= x.at(row + d) * inv * g.at(row + d);
}

inline Contract contract() {
  return {
      .name = "rms_norm_backward",
      .summary =
          "inv = 1/sqrt(mean(x^2) + eps), s = sum x w g; dx = w inv g - x inv^3 s/dim; dw += sum over groups of x inv "
          "g",
      .dims = {{.name = "G",
                .meaning = "groups: independent rows",
                .min = 0,
                .aliases = {"groups", "N", "M", "rows", "BT", "B", "tokens", "num_tokens", "batch", "batch_size",
                            "seq_len"}},
               {.name = "dim",
                .meaning = "elements of a group",
                .min = 0,
                .aliases = {"group_size", "C", "D", "N", "cols", "hidden", "hidden_dim", "hidden_size", "embed_dim",
                            "n_embd", "row_size", "width"}}},
      .repeats_along = {"G"},
      .attrs = {{.name = "eps",
                 .meaning = "added to the mean square",
                 .choices = {"1e-5", "1e-6", "1e-3", "1e-12"},
                 .aliases = {"epsilon", "rms_eps", "norm_eps", "rms_norm_eps", "variance_epsilon"}}},
      .tensors =
          {{.name = "x", .shape = {"G", "dim"}, .magnitude = 1e12, .aliases = {"inp", "hidden_states"}},  // (G, dim)
           {.name = "g",
            .shape = {"G", "dim"},
            .make = data::partner_up_to(1e3),
            .aliases = {"dy", "dout", "do", "grad", "grad_out", "grad_output"}},                      // (G, dim)
           {.name = "w", .shape = {"dim"}, .make = make_w, .aliases = {"weight", "gamma", "scale"}},  // (dim)
           {.name = "dx",
            .role = Role::output,
            .shape = {"G", "dim"},
            .aliases = {"din", "dinp", "grad_in", "grad_inp", "grad_input"}},  // (G, dim)
           {.name = "dw",
            .role = Role::accumulate,
            .shape = {"dim"},
            .dtype = DType::f32,
            .aliases = {"dweight", "dgamma", "grad_w", "grad_weight", "grad_gamma"}}},  // (dim)
      .reference = reference_from([](auto& io) { reference::rms_norm_backward(io); }),
      .roundings = {{"normalised", "x inv, stored before it is multiplied by g for dw"},
                    {"gw", "g w, the gradient of the normalised x, stored"},
                    {"dw_terms", "x inv g of every element, stored before they are added up over groups"}},
      .formulas = {{"gw_first", "g w before it is multiplied by inv or x, as Apex and Liger have it"}},
      .properties = {properties::rows_are_independent({"x", "g"}, {"dx"}),
                     properties::doubles_with({"g", "dw"}, {"dx", "dw"})},
      .mutants = {{"projection_left_out", leave_out_projection}, {"dw_lost_last_group", lose_last_group}},
      .flops = [](const Case& c) { return 12.0 * static_cast<double>(c.dim("G") * c.dim("dim")); },
  };
}

}  // namespace assay::ops::rms_norm_backward
