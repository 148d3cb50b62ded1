// attention_causal_head_major: what it means. Causal attention of grouped heads as transformer layers store them: q and
// out are [H, T, ad], k and v [HK, T, ad], of which D = ad - pad lanes count. The scale is 1/sqrt(D), not of ad,
// rounded to f32 or as good as a root and a division, or CUDA's rsqrtf, make it.
//
// With probs=saved the probabilities are an output too, for a backward that reads them: [H, aw, aw], where aw >= T is
// the stride of a row. Keys behind a query have 0; everything from T on is unspecified. With probs=none nothing of the
// kind is stored, as flash kernels do it. Both meet one contract. out's padding is 0, and that of inputs holds NaN.
#pragma once

#include "kernels/attention/problem.h"
#include "kernels/attention_causal_head_major/properties.h"
#include "kernels/data/mistakes.h"
#include "kernels/heads/values.h"
#include "kernels/properties/scale.h"
#include "reference/attention_causal_head_major.h"

namespace assay::ops::attention_causal_head_major {

inline constexpr auto mistake = data::mistakes_of(reference::head_major_shape, [](auto& io, const auto& shape) {
  reference::attention_causal_head_major(io, shape);
});

inline void scale_by_padded_width(const Case& c, reference::AttentionShape& a) {
  a.scale = 1 / std::sqrt(static_cast<double>(c.dim("ad")));
}

// Exponentials a tenth too large from the ninth key on, in what is saved: the flash variant would not have it.
inline void stretch_far_probs(const Case& c, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  const int64_t width = c.dim("aw"), tokens = c.dim("T");
  if (!saves(c)) return;
  for (int64_t row = 0; row < c.dim("H") * width; ++row)
    for (int64_t j = 8; row % width < tokens && j < tokens; ++j) outputs[1][row * width + j] *= 1.1;
}

inline void make_keys(const Case& c, Rng& rng, Tensor& k) { heads::make_keys(c, rng, c.dim("T"), k); }

inline Contract contract() {
  return {
      .name = "attention_causal_head_major",
      .summary =
          "D = ad - pad; p_ij = softmax_{j<=i}(q_i.k_j / sqrt(D)), out_i = sum_j p_ij v_j, 0 in its padding; "
          "probs=saved: p too, 0 where i < j < T",
      .dims = {heads::tokens(1), heads::query_heads(), heads::key_heads(), heads::row_stride(1), heads::padding(),
               heads::score_width()},
      .attrs = {{.name = "probs", .meaning = "whether the probabilities are an output", .choices = {"none", "saved"}}},
      .tensors = {heads::by_query("q", heads::make_queries, {"query", "queries"}),
                  heads::by_key("k", make_keys, {"key", "keys"}),
                  heads::by_key("v", heads::make_partner, {"value", "values"}),
                  {.name = "out", .role = Role::output, .shape = {"H", "T", "ad"}, .aliases = {"o", "output", "y"}},
                  {.name = "probs",
                   .role = Role::output,
                   .shape = {"H", "aw", "aw"},
                   .aliases = {"weights", "att", "attn_weights", "scores"},
                   .regions = heads::scores_beyond_tokens,
                   .absent = [](const Case& c) { return !saves(c); }}},
      .admits_infinity = false,
      .why_left_out = "an infinite score or value gives NaN or infinity by the order in which its row is walked",
      .out_of_reach = data::sums_that_f16_holds(),
      .exponentials = true,
      .groups_heads = true,
      .constraint = heads::wrong_head_major,
      .adjust = heads::make_head_major_right,
      .reference = reference_from(
          [](auto& io) { reference::attention_causal_head_major(io, reference::head_major_shape(io.c())); }),
      .roundings = attention::forward_roundings(),
      .multiplies_matrices = true,
      .properties = {heads::later_rows_are_not_seen({"probs"}, {"out", "probs"}),
                     heads::groups_are_repeated_heads({"out", "probs"}, {}),
                     {.name = "saved_is_flash",
                      .states = "out is the same with the probabilities saved and without",
                      .broken = saving_changes_output},
                     properties::doubles_with({"v"}, {"out"})},
      .mutants = {mistake("causal_bound_off_by_one", [](const Case&, auto& a) { --a.diagonal; }),
                  mistake("kv_head_is_h_modulo_HK", [](const Case&, auto& a) { a.interleaved_heads = true; }),
                  mistake("scaled_by_padded_width", scale_by_padded_width),
                  mistake("last_key_dropped", [](const Case&, auto& a) { --a.keys_end; }),
                  {"exponentials_off_beyond_8_columns", stretch_far_probs}},
      .flops = [](const Case& c) { return 2 * reference::attention_product_flops(reference::head_major_shape(c)); },
  };
}

}  // namespace assay::ops::attention_causal_head_major
