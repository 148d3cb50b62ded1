// attention_backward_saved: what it means. The gradients of attention_causal_head_major's q, k and v from that of its
// output and the probabilities w that it saved. The gradient of the scores, before their scale, is an output too.
//
// q, do and dq are [H, T, ad], k, v, dk and dv [HK, T, ad], w and ds [H, aw, aw]; D = ad - pad lanes of a row count,
// and the first T rows and columns of w and ds. Keys behind a query have 0 in both. Everything is overwritten, padding
// with 0; that of inputs, and w from T on, holds NaN. The scale 1/sqrt(D) is as good as the forward's.
#pragma once

#include "kernels/data/mistakes.h"
#include "kernels/heads/properties.h"
#include "kernels/heads/values.h"
#include "kernels/properties/scale.h"
#include "reference/attention_backward_saved.h"

namespace assay::ops::attention_backward_saved {

// The probabilities of the forward on the q and k given, rounded to the case's dtype.
inline void derive_probabilities(const Case& c, const Tensors& earlier, Tensor& w) {
  Case forward = c;
  forward.set("probs", "saved");
  Tensors all = earlier;
  all.emplace_back("out", DType::f32, Role::output, std::vector{c.dim("H"), c.dim("T"), c.dim("ad")});
  all.emplace_back("probs", DType::f32, Role::output, w.shape());
  const ReferenceInFull in_full;
  const NamesUsed names_of_forward;  // its roundings are none of this op's
  const auto results = reference_run<double>(
      [&](auto& io) { reference::attention_causal_head_major(io, reference::head_major_shape(c)); })(forward, all);
  for (int64_t i = 0; i < w.count(); ++i) w.set(i, results[1][i]);
}

inline constexpr auto mistake = data::mistakes_of(
    reference::head_major_shape, [](auto& io, const auto& shape) { reference::attention_backward_saved(io, shape); });

// ds is outputs[0]. w·dP, without the mean.
inline void leave_out_mean(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const reference::AttentionShape a = reference::head_major_shape(c);
  const Tensor &w = given.get("w"), &go = given.get("do"), &v = given.get("v");
  for (int64_t h = 0; h < a.heads; ++h)
    for (int64_t i = 0; i < a.queries; ++i)
      for (int64_t j = 0; j <= i; ++j) {
        double product = 0;
        for (int64_t d = 0; d < a.dim; ++d)
          product += go.at(a.q.at(0, i, h) + d) * v.at(a.kv.at(0, j, a.kv_head(h)) + d);
        outputs[0](h, i, j) = w.at((h * c.dim("aw") + i) * c.dim("aw") + j) * product;
      }
}

inline void scale_key_gradients_twice(const Case& c, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  for (double& value : outputs[2].values) value *= reference::head_major_shape(c).scale;
}

inline TensorSpec gradient(std::string name, const char* heads) {
  return {.name = std::move(name), .role = Role::output, .shape = {heads, "T", "ad"}};
}

inline Contract contract() {
  return {
      .name = "attention_backward_saved",
      .summary =
          "D = ad - pad; dp_ij = do_i.v_j, ds_ij = w_ij (dp_ij - sum_{j<=i} w_ij dp_ij); dq_i = sum_j ds_ij k_j / "
          "sqrt(D), dk_j = sum ds_ij q_i / sqrt(D) and dv_j = sum w_ij do_i over queries and the heads of a group",
      .dims = {heads::tokens(1), heads::query_heads(), heads::key_heads(), heads::row_stride(1), heads::padding(),
               heads::score_width()},
      .tensors = {heads::by_query("q", heads::make_queries, {"query", "queries"}),
                  heads::by_key("k", heads::make_partner, {"key", "keys"}),
                  heads::by_key("v", heads::make_partner, {"value", "values"}),
                  {.name = "w",
                   .shape = {"H", "aw", "aw"},
                   .derive = derive_probabilities,
                   .aliases = {"probs", "weights", "att", "attn_weights"},
                   .regions = [](const Case& c) { return heads::beyond_tokens(c, Region::dead); }},
                  heads::by_query("do", heads::make_partner, {"dy", "dout", "grad_out", "grad_output"}),
                  {.name = "ds",
                   .role = Role::output,
                   .shape = {"H", "aw", "aw"},
                   .aliases = {"dscores", "datt", "d_scores"},
                   .regions = heads::scores_beyond_tokens},
                  gradient("dq", "H"),
                  gradient("dk", "HK"),
                  gradient("dv", "HK")},
      .admits_infinity = false,
      .why_left_out = "an infinite score or value gives NaN or infinity by the order in which its row is walked",
      .out_of_reach = data::sums_that_f16_holds(),
      .groups_heads = true,
      .constraint = heads::wrong_head_major,
      .adjust = heads::make_head_major_right,
      .reference = reference_from(
          [](auto& io) { reference::attention_backward_saved(io, reference::head_major_shape(io.c())); }),
      .roundings = {{"dp", "dO.v of every pair, stored before its mean is taken from it"},
                    {"ds", "the gradient of the scores as it enters dq and dk"},
                    {"dk_dv_of_head", "dk and dv of one query head, stored before those of its group are added up"}},
      .formulas = {{"w_dp_minus_w_sum", "ds as w dp - w (sum w dp), not w (dp - sum w dp)"}},
      .multiplies_matrices = true,
      .properties = {heads::later_rows_are_not_seen({"w", "ds"}, {"ds", "dq"}),
                     heads::groups_are_repeated_heads({"ds", "dq"}, {"dk", "dv"}),
                     properties::doubles_with({"do"}, {"ds", "dq", "dk", "dv"})},
      .mutants = {mistake("kv_head_is_h_modulo_HK", [](const Case&, auto& a) { a.interleaved_heads = true; }),
                  mistake("scale_left_out", [](const Case&, auto& a) { a.scale = 1; }),
                  mistake("last_key_dropped", [](const Case&, auto& a) { --a.keys_end; }),
                  {"mean_left_out", leave_out_mean},
                  {"dk_scaled_twice", scale_key_gradients_twice}},
      .flops = [](const Case& c) { return 4 * reference::attention_product_flops(reference::head_major_shape(c)); },
  };
}

}  // namespace assay::ops::attention_backward_saved
