// causal_softmax: what it means. The softmax of attention scores [H, aw, aw] by rows, of which row i has the columns
// 0 … i. aw >= T is the stride of a row; what lies from T on, in rows and in columns, has no part in it.
//
// Columns behind i are written as 0 and never read: they hold NaN here. With alias=probs:scores the probabilities go
// where the scores were. A row with a NaN, with +inf, or with nothing but -inf is NaN up to its own column.
#pragma once

#include "kernels/data/exponents.h"
#include "kernels/data/mistakes.h"
#include "kernels/heads/causal_rows.h"
#include "reference/causal_softmax.h"

namespace assay::ops::causal_softmax {

inline constexpr auto mistake =
    data::mistakes_of(reference::causal_rows, [](auto& io, const auto& rows) { reference::causal_softmax(io, rows); });

// Acts as if the second half of a row had not been added up: a tree that loses threads.
inline void sum_only_first_halves(const Case& c, const Tensors&, std::vector<RefTensor<double>>& outputs) {
  const reference::CausalRows a = reference::causal_rows(c);
  for (int64_t h = 0; h < a.heads; ++h)
    for (int64_t i = 0; i < a.tokens; ++i) {
      double first_half = 0;
      for (int64_t j = 0; j <= i / 2; ++j) first_half += outputs[0](h, i, j);
      for (int64_t j = 0; j <= i; ++j) outputs[0](h, i, j) /= first_half;
    }
}

inline void make_scores(const Case& c, Rng& rng, Tensor& scores) {
  apply_fill(c, rng, 0, scores);
  data::divide_exponents(c, reference::causal_rows(c).scale, scores);
}

inline Contract contract() {
  return {
      .name = "causal_softmax",
      .summary = "probs_ij = softmax_{j<=i}(scale scores_ij), 0 where i < j < T",
      .dims = {heads::tokens(1), heads::query_heads(), heads::score_width()},
      .repeats_along = {"H"},
      .attrs = {heads::score_scale(),
                {.name = "alias",
                 .meaning = "whether the probabilities go where the scores were",
                 .choices = {"none", "probs:scores"}}},
      .tensors = {{.name = "scores",  // (H, aw, aw)
                   .shape = {"H", "aw", "aw"},
                   .make = make_scores,
                   .aliases = {"x", "inp", "preatt", "att_scores"},
                   .regions = heads::dead_behind_diagonal},
                  {.name = "probs",  // (H, aw, aw)
                   .role = Role::output,
                   .shape = {"H", "aw", "aw"},
                   .aliases = {"y", "out", "att", "weights"},
                   .regions = heads::scores_beyond_tokens}},
      .out_of_reach = {{"sum_size", "overflows f16", "the exponentials of a row add up to its length at most"}},
      .exponentials = true,
      .constraint = heads::narrow_scores,
      .adjust = heads::make_scores_wide_enough,
      .reference = reference_from([](auto& io) { reference::causal_softmax(io, reference::causal_rows(io.c())); }),
      .roundings = {{"exp", "exp(x - maximum), stored before it is divided by the sum"}},
      .formulas = {{"exp2", "exponentials to base 2 of x log2(e) - maximum log2(e)"},
                   {"exp_of_x_minus_lse", "exp(x - lse) with lse = maximum + ln sum, not a quotient"}},
      .properties = {heads::later_rows_are_not_seen({"scores", "probs"}, {"probs"})},
      .mutants = {mistake("causal_bound_off_by_one", [](const Case&, auto& rows) { --rows.diagonal; }),
                  mistake("scale_left_out", [](const Case&, auto& rows) { rows.scale = 1; }),
                  {"second_half_not_in_the_sum", sum_only_first_halves}},
      .flops = [](const Case& c) { return 5.0 * heads::causal_pairs(c); },
  };
}

}  // namespace assay::ops::causal_softmax
