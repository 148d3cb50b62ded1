// attention_backward: what it means. The gradients of attention_forward's q, k and v, from that of its output.
//
// With saved=none the kernel computes the probabilities again from q and k. Otherwise it is given the forward's lse,
// and either its o, in the case's dtype, or delta = dO.o; the other tensors of the three are empty. dK and dV are
// overwritten, or added to what is there (dkv=accumulate), as gradients of several micro-batches are.
#pragma once

#include "kernels/attention/backward.h"
#include "kernels/attention/properties.h"
#include "kernels/properties/scale.h"
#include "reference/attention_backward.h"

namespace assay::ops::attention_backward {

inline constexpr auto kReference = [](auto& io, const reference::AttentionShape& shape) {
  reference::attention_backward(io, shape, false);
};

// Attributes that matter for a given delta only are left alone elsewhere.
inline void adjust(Case& c) {
  attention::make_heads_divide(c);
  if (c.text("saved") != "lse_delta") c.set("delta_layout", "head_major");
}

inline std::vector<Mutant> mutants() {
  std::vector<Mutant> all = attention::mistakes(kReference);
  all.push_back(data::mistakes_of(reference::attention_shape, kReference)(
      "delta_in_the_other_layout", [](const Case&, auto& a) { a.delta_token_major = !a.delta_token_major; }));
  return all;
}

inline Contract contract() {
  return {
      .name = "attention_backward",
      .summary =
          "p = softmax_j(scale q_i.k_j); ds_ij = p_ij (do_i.v_j - delta_i), delta_i = do_i.o_i; dq_i = scale sum_j "
          "ds_ij k_j; dk_j = scale sum ds_ij q_i, dv_j = sum p_ij do_i over the queries and query heads that see key j",
      .dims = attention::dims(1 << 16),
      .repeats_along = {"B"},
      .attrs = {attention::causal(), attention::scale(), attention::layout(),
                attention::saved({"none", "lse_delta", "lse_o"}), attention::grads(), attention::key_gradients_are(),
                attention::delta_layout()},
      .tensors = {attention::q(), attention::k(), attention::v(), attention::output_gradient(),
                  attention::saved_o(false), attention::saved_lse(false), attention::saved_delta(false),
                  attention::by_query("dq", Role::output), attention::key_gradients("dk"),
                  attention::key_gradients("dv")},
      .admits_infinity = false,
      .why_left_out = "an infinite score or value gives NaN or infinity by the order in which its row is walked",
      .out_of_reach = data::sums_that_f16_holds(),
      .exponentials = true,
      .groups_heads = true,
      .constraint = attention::heads_do_not_divide,
      .adjust = adjust,
      .reference = reference_from([](auto& io) { kReference(io, reference::attention_shape(io.c())); }),
      .roundings = attention::backward_roundings(),
      .formulas = attention::backward_formulas(),
      .multiplies_matrices = true,
      .properties = {attention::batch_is_independent({"dq", "dk", "dv"}),
                     attention::grouped_heads_are_repeated_heads({"dq"}, {"dk", "dv"}),
                     attention::later_keys_are_not_seen({"dq"}), attention::earlier_queries_do_not_reach_later_keys(),
                     properties::doubles_with({"do", "delta", "dk", "dv"}, {"dq", "dk", "dv"}),
                     attention::second_run_adds_again()},
      .mutants = mutants(),
      .flops = attention::backward_flops,
  };
}

}  // namespace assay::ops::attention_backward
