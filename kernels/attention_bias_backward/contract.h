// attention_bias_backward: what it means. The gradients of attention_bias_forward's q, k, v and bias.
//
// dBias has the bias's extents and dtype: it adds up every dimension in which the bias is broadcast. Positions that no
// query sees are 0. Its rows may lie further apart than their Sk elements; what lies between keeps its bits.
#pragma once

#include "kernels/attention/backward.h"
#include "kernels/attention/bias.h"
#include "kernels/attention/properties.h"
#include "kernels/properties/scale.h"
#include "reference/attention_backward.h"

namespace assay::ops::attention_bias_backward {

inline constexpr auto kReference = [](auto& io, const reference::AttentionShape& shape) {
  reference::attention_backward(io, shape, true);
};

inline std::vector<DimSpec> dims() {
  std::vector<DimSpec> dims = attention::dims(attention::kBiasedDimMax);
  dims.push_back({.name = "dbias_pad",
                  .meaning = "elements between a row of dbias and the next",
                  .min = 0,
                  .max = 255,
                  .boundary = {3, 64},
                  .usual_max = 64,
                  .before = 0});
  return dims;
}

inline ShapeText dbias_shape(const Case& c) {
  return {"bias_batch", "bias_heads", "bias_queries", std::to_string(c.dim("Sk") + c.dim("dbias_pad"))};
}

inline Regions kept_between_rows(const Case& c) {
  const int64_t keys = c.dim("Sk"), stride = keys + c.dim("dbias_pad");
  int64_t rows = 1;
  for (const char* extent : {"bias_batch", "bias_heads", "bias_queries"})
    rows *= c.text(extent) == "1" ? 1 : c.dim(c.text(extent));
  Regions regions;
  regions.mark_columns(rows, stride, keys, stride, Region::kept);
  return regions;
}

inline Contract contract() {
  std::vector<AttrSpec> attrs = {attention::causal(), attention::scale(), attention::layout(),
                                 attention::saved({"lse_delta", "lse_o"}), attention::grads()};
  for (AttrSpec& attr : attention::bias_attrs()) attrs.push_back(std::move(attr));
  return {
      .name = "attention_bias_backward",
      .summary =
          "p_ij = exp(scale q_i.k_j + bias_ij - lse_i); ds_ij = p_ij (do_i.v_j - delta_i); dq_i = scale sum_j ds_ij "
          "k_j; dk_j = scale sum ds_ij q_i; dv_j = sum p_ij do_i; dbias = ds, without the scale, summed over what is "
          "broadcast",
      .dims = dims(),
      .attrs = attrs,
      .tensors = {attention::q(),
                  attention::k(),
                  attention::v(),
                  attention::output_gradient(),
                  attention::bias(),
                  attention::mask(),
                  attention::saved_o(true),
                  attention::saved_lse(true),
                  attention::saved_delta(true),
                  attention::by_query("dq", Role::output),
                  attention::key_gradients("dk"),
                  attention::key_gradients("dv"),
                  {.name = "dbias", .role = Role::output, .shape_by = dbias_shape, .regions = kept_between_rows}},
      .admits_infinity = false,
      .why_left_out = "an infinite score or value gives NaN or infinity by the order in which its row is walked",
      .out_of_reach = data::sums_that_f16_holds(),
      .exponentials = true,
      .groups_heads = true,
      .constraint = attention::biased_constraint,
      .adjust = attention::make_biased,
      .reference = reference_from([](auto& io) { kReference(io, reference::attention_shape(io.c())); }),
      .roundings = attention::backward_roundings(),
      .formulas = attention::backward_formulas(),
      .multiplies_matrices = true,
      .properties = {attention::grouped_heads_are_repeated_heads({"dq", "dbias"}, {"dk", "dv"}),
                     attention::later_keys_are_not_seen({"dq"}), attention::removed_keys_are_not_seen({"dq", "dbias"}),
                     attention::earlier_queries_do_not_reach_later_keys(),
                     properties::doubles_with({"do", "delta"}, {"dq", "dk", "dv", "dbias"})},
      .mutants = attention::mistakes(kReference),
      .flops = attention::backward_flops,
  };
}

}  // namespace assay::ops::attention_bias_backward
