// attention_bias_forward: what it means. Softmax attention with an additive bias and a mask, both broadcast.
#pragma once

#include "kernels/attention/bias.h"
#include "kernels/attention/properties.h"
#include "kernels/properties/scale.h"

namespace assay::ops::attention_bias_forward {

inline constexpr auto kReference = [](auto& io, const reference::AttentionShape& shape) {
  reference::attention_forward(io, shape, true);
};

inline Contract contract() {
  std::vector<AttrSpec> attrs = {attention::causal(), attention::scale(), attention::layout()};
  for (AttrSpec& attr : attention::bias_attrs()) attrs.push_back(std::move(attr));
  return {
      .name = "attention_bias_forward",
      .summary =
          "o_i = sum_j p_ij v_j with p_i = softmax_j(scale q_i.k_j + bias_ij) over the keys that query i sees and the "
          "mask leaves; lse_i = ln sum_j exp(...); a query that sees no key: o = 0, lse = -inf",
      .dims = attention::dims(attention::kBiasedDimMax),
      .repeats_along = {"B"},
      .attrs = attrs,
      .tensors = {attention::q(),
                  attention::k(),
                  attention::v(),
                  attention::bias(),
                  attention::mask(),
                  attention::by_query("o", Role::output, nullptr, attention::kNamesOfOutput),
                  {.name = "lse",
                   .role = Role::output,
                   .shape = {"B", "H", "Sq"},
                   .dtype = DType::f32,
                   .aliases = attention::kNamesOfLse}},
      .admits_infinity = false,
      .why_left_out = "an infinite score or value gives NaN or infinity by the order in which its row is walked",
      .out_of_reach = data::sums_that_f16_holds(),
      .exponentials = true,
      .groups_heads = true,
      .masks_scores = true,
      .constraint = attention::biased_constraint,
      .adjust = attention::make_biased,
      .reference = reference_from([](auto& io) { kReference(io, reference::attention_shape(io.c())); }),
      .roundings = attention::forward_roundings(),
      .formulas = attention::forward_formulas(),
      .multiplies_matrices = true,
      .properties = {attention::grouped_heads_are_repeated_heads({"o", "lse"}, {}),
                     attention::later_keys_are_not_seen({"o", "lse"}),
                     attention::removed_keys_are_not_seen({"o", "lse"}), properties::doubles_with({"v"}, {"o"})},
      .mutants = attention::mistakes(kReference),
      .flops = attention::forward_flops,
  };
}

}  // namespace assay::ops::attention_bias_forward
