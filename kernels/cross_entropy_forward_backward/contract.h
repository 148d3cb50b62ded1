// cross_entropy_forward_backward: what it means. Mean cross entropy of softmax rows, with its gradient in one go.
//
// With loss=rows every row's own loss is written instead of the mean, undivided: 0 for padding. `count` divides the
// gradient in both. With counted=batch it counts the rows of a batch of which this call has a part, as where gradients
// of several calls add up: a kernel that counts its own rows is wrong there. With reduction=sum nothing is divided.
//
// With given=probs a softmax came before, and its probabilities are given. A target's is 2^-12 at least, so that a
// kernel which keeps it above a small number has nothing to do; one that adds such a number has an eps.
//
// With encoding=one_hot a row of zeros and a one says the class, and padding is a row of zeros.
//
// With alias=grad:logits (or grad:probs) the gradient goes where the logits were, as training loops have it that need
// them no more.
#pragma once

#include <functional>

#include "kernels/cross_entropy_forward_backward/properties.h"
#include "reference/cross_entropy_forward_backward.h"

namespace assay::ops::cross_entropy_forward_backward {

inline Contract contract() {
  return {
      .name = "cross_entropy_forward_backward",
      .summary =
          "p = softmax of a row of logits; loss -= sum_n ln p_n[target_n] / count; grad_nv = (p_nv - [v = target_n]) "
          "/ count; rows whose target is pad_id or >= V: grad 0, no loss; loss=rows: loss_n = -ln p_n[target_n]; "
          "given=probs: p is given, and ln(p + eps)",
      .dims = {{.name = "N",
                .meaning = "rows: tokens of the batch",
                .min = 0,
                .max = 0xFFFFFFFF,
                .boundary = {257},
                .aliases = {"B", "BT", "rows", "n_rows", "batch", "batch_size", "num_tokens"}},
               {.name = "V",
                .meaning = "classes: size of the vocabulary",
                .min = 0,
                .max = 0x7FFFFFFF,
                .boundary = {31, 33, 127, 1025, 4099},
                .aliases = {"C", "cols", "vocab", "vocab_size", "classes", "num_classes"}}},
      .repeats_along = {"N"},
      .attrs = {{.name = "pad", .meaning = "how many targets are pad_id", .choices = {"none", "some", "all"}},
                {.name = "targets",
                 .meaning = "whether some targets are no class",
                 .choices = {"valid", "out_of_range"}},
                {.name = "pad_id",
                 .meaning = "the target of padding",
                 .choices = {"4294967295", "0", "7"},
                 .aliases = {"ignore_index", "ignore_id", "padding_idx"}},
                {.name = "loss",
                 .meaning = "one mean that is added to, or every row's own",
                 .choices = {"total", "rows"},
                 .optional = true},
                {.name = "counted",
                 .meaning = "whose rows count has: this call's, or a whole batch's",
                 .choices = {"call", "batch"},
                 .of_input = "count",
                 .optional = true},
                {.name = kAliasAttr,
                 .meaning = "whether grad is where the logits were",
                 .choices = {"none", "grad:logits", "grad:probs"},
                 .optional = true},
                {.name = "given",
                 .meaning = "what rows hold: logits, or the probabilities that are their softmax",
                 .choices = {"logits", "probs"},
                 .optional = true},
                {.name = "eps",
                 .meaning = "what is added to a given probability before its logarithm",
                 .choices = {"0", "1e-10", "1e-8", "1e-7"},
                 .aliases = {"epsilon"},
                 .optional = true},
                {.name = "reduction",
                 .meaning = "whether loss and gradient are divided by count",
                 .choices = {"mean", "sum"},
                 .optional = true},
                {.name = "encoding",
                 .meaning = "whether targets are numbers of classes, or rows of zeros with a one",
                 .choices = {"ids", "one_hot"},
                 .optional = true}},
      .tensors =
          {{.name = "logits", .shape = {"N", "V"}, .make = make_logits, .aliases = {"x", "inp"}, .absent = of_probs},
           {.name = "probs",
            .shape = {"N", "V"},
            .make = make_probs,
            .aliases = {"p", "prob", "probabilities", "softmax", "predictions", "y_pred"},
            .absent = [](const Case& c) { return !of_probs(c); }},
           {.name = "targets",
            .shape = {"N"},
            .dtype = DType::u32,
            .make = make_targets,
            .aliases = {"labels", "target", "label", "ids"},
            .absent = of_one_hot},
           {.name = "one_hot",
            .shape = {"N", "V"},
            .make = make_one_hot,
            .aliases = {"y", "y_true", "labels", "target"},
            .absent = [](const Case& c) { return !of_one_hot(c); }},
           {.name = "count",
            .shape = {"1"},
            .dtype = DType::u32,
            .make = make_count,
            .aliases = {"n_valid", "num_valid", "valid_count"}},
           {.name = "grad",
            .role = Role::output,
            .shape = {"N", "V"},
            .aliases = {"dx", "dlogits", "grad_logits", "dinp"}},
           {.name = "loss",
            .role = Role::accumulate,
            .dtype = DType::f32,
            .shape_by = [](const Case& c) { return of_rows(c) ? ShapeText{"N"} : ShapeText{"1"}; },
            .aliases = {"losses", "loss_sum", "total_loss"},
            .role_by = [](const Case& c) { return of_rows(c) ? Role::output : Role::accumulate; }}},
      .out_of_reach = {{"sum_size", "overflows f16", "a row's exponentials add up to V at most, and the loss is f32"}},
      .exponentials = true,
      .constraint = contradiction,
      .adjust = remove_contradictions,
      .reference = reference_from([](auto& io) { reference::cross_entropy_forward_backward(io); }),
      .roundings = {{"p", "the probabilities, stored before 1 is taken from the target's"},
                    {"log_p", "the logarithms of the probabilities, stored; loss and gradient come from them"}},
      .formulas = {{"exp2", "exponentials to base 2 of x log2(e) - maximum log2(e)", std::not_fn(of_probs)},
                   {"lse", "p = exp(x - lse) and a loss of lse - x, with lse = maximum + ln sum",
                    std::not_fn(of_probs)}},
      .properties = {{.name = "row_sum", .states = "rows of grad sum to 0, of logits", .broken = row_sum_not_zero},
                     {.name = "padding_is_not_read",
                      .states = "NaN in the logits of padding changes nothing",
                      .broken = padding_matters},
                     {.name = "shift",
                      .states = "a constant added to all logits of a row changes nothing",
                      .broken = shift_matters}},
      .mutants = {{.name = "padding_ignored", .mutate = ignore_padding},
                  {.name = "own_rows_counted", .mutate = divide_by_own_rows},
                  {.name = "losses_of_rows_divided", .mutate = divide_losses_of_rows},
                  {.name = "softmax_of_probs", .mutate = take_softmax_again},
                  {.name = "sums_divided", .mutate = divide_sums},
                  {.name = "eps_left_out", .mutate = leave_out_eps}},
      .flops = [](const Case& c) { return 6.0 * static_cast<double>(c.dim("N") * c.dim("V")); },
  };
}

}  // namespace assay::ops::cross_entropy_forward_backward
