// attention_forward: what it means. Softmax attention of grouped heads, with the log-sum-exp of every query's scores.
#pragma once

#include "kernels/attention/problem.h"
#include "kernels/attention/properties.h"
#include "kernels/properties/scale.h"

namespace assay::ops::attention_forward {

inline constexpr auto kReference = [](auto& io, const reference::AttentionShape& shape) {
  reference::attention_forward(io, shape, false);
};

inline Contract contract() {
  return {
      .name = "attention_forward",
      .summary =
          "o_i = sum_j p_ij v_j with p_i = softmax_j(scale q_i.k_j) over the keys that query i sees; lse_i = ln sum_j "
          "exp(scale q_i.k_j); a query that sees no key: o = 0, lse = -inf",
      .dims = attention::dims(1 << 16),
      .repeats_along = {"B"},
      .attrs = {attention::causal(), attention::scale(), attention::layout()},
      .tensors = {attention::q(),
                  attention::k(),
                  attention::v(),
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
      .constraint = attention::heads_do_not_divide,
      .adjust = attention::make_heads_divide,
      .reference = reference_from([](auto& io) { kReference(io, reference::attention_shape(io.c())); }),
      .roundings = attention::forward_roundings(),
      .formulas = attention::forward_formulas(),
      .multiplies_matrices = true,
      .properties = {attention::batch_is_independent({"o", "lse"}),
                     attention::grouped_heads_are_repeated_heads({"o", "lse"}, {}),
                     attention::later_keys_are_not_seen({"o", "lse"}), properties::doubles_with({"v"}, {"o"})},
      .mutants = attention::mistakes(kReference),
      .flops = attention::forward_flops,
  };
}

}  // namespace assay::ops::attention_forward
