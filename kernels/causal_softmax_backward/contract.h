// causal_softmax_backward: what it means. It makes the gradient of the scores from the probabilities w of
// causal_softmax and their gradient dp. All are [H, aw, aw], of which row i has the columns 0 … i; aw >= T is the
// stride of a row.
//
// Columns behind i are written as 0 and never read: they hold NaN here, as does everything from T on, which is
// unspecified in ds. With alias=ds:dp the gradient goes where dp was.
#pragma once

#include <cmath>

#include "kernels/data/mistakes.h"
#include "kernels/heads/causal_rows.h"
#include "kernels/properties/scale.h"
#include "reference/causal_softmax_backward.h"

namespace assay::ops::causal_softmax_backward {

inline constexpr double kLargest = 1e10;  // of dp: sums of w dp are finite in f32

// Probabilities of the case's fill.
inline void make_probabilities(const Case& c, Rng& rng, Tensor& w) {
  const reference::CausalRows a = reference::causal_rows(c);
  apply_fill(c, rng, 0, w);
  for (int64_t h = 0; h < a.heads; ++h)
    for (int64_t i = 0; i < a.tokens; ++i) {
      const int64_t row = a.at(h, i);
      double maximum = -std::numeric_limits<double>::infinity(), total = 0;
      for (int64_t j = row; j <= row + i; ++j) maximum = larger(maximum, w.at(j));
      for (int64_t j = row; j <= row + i; ++j) total += std::exp(w.at(j) - maximum);
      for (int64_t j = row; j <= row + i; ++j) w.set(j, std::exp(w.at(j) - maximum) / total);
    }
}

inline constexpr auto mistake = data::mistakes_of(
    reference::causal_rows, [](auto& io, const auto& rows) { reference::causal_softmax_backward(io, rows); });

inline void leave_out_dot(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const reference::CausalRows a = reference::causal_rows(c);
  for (int64_t h = 0; h < a.heads; ++h)
    for (int64_t i = 0; i < a.tokens; ++i)
      for (int64_t j = 0; j <= i; ++j)
        outputs[0](h, i, j) = a.scale * given.get("w").at(a.at(h, i) + j) * given.get("dp").at(a.at(h, i) + j);
}

inline Contract contract() {
  return {
      .name = "causal_softmax_backward",
      .summary = "ds_ij = scale w_ij (dp_ij - sum_{j<=i} w_ij dp_ij), 0 where i < j < T",
      .dims = {heads::tokens(1), heads::query_heads(), heads::score_width()},
      .repeats_along = {"H"},
      .attrs = {heads::score_scale(),
                {.name = "alias", .meaning = "whether ds goes where dp was", .choices = {"none", "ds:dp"}}},
      .tensors = {{.name = "w",  // (H, aw, aw)
                   .shape = {"H", "aw", "aw"},
                   .make = make_probabilities,
                   .aliases = {"probs", "att", "weights", "y"},
                   .regions = heads::dead_behind_diagonal},
                  {.name = "dp",  // (H, aw, aw)
                   .shape = {"H", "aw", "aw"},
                   .magnitude = kLargest,
                   .aliases = {"datt", "dprobs", "dy", "dout"},
                   .regions = heads::dead_behind_diagonal},
                  {.name = "ds",  // (H, aw, aw)
                   .role = Role::output,
                   .shape = {"H", "aw", "aw"},
                   .aliases = {"dscores", "dpreatt", "dx", "dinp"},
                   .regions = heads::scores_beyond_tokens}},
      .constraint = heads::narrow_scores,
      .adjust = heads::make_scores_wide_enough,
      .reference =
          reference_from([](auto& io) { reference::causal_softmax_backward(io, reference::causal_rows(io.c())); }),
      .roundings = {{"w_dp", "w dp of every element, stored before they are added up"},
                    {"dot", "their sum over a row, stored"}},
      .formulas = {{"w_dp_minus_w_dot", "w dp - w dot, not w (dp - dot)"}},
      .properties = {heads::later_rows_are_not_seen({"w", "dp", "ds"}, {"ds"}),
                     properties::doubles_with({"dp"}, {"ds"})},
      .mutants = {mistake("causal_bound_off_by_one", [](const Case&, auto& rows) { --rows.diagonal; }),
                  mistake("scale_left_out", [](const Case&, auto& rows) { rows.scale = 1; }),
                  {"dot_product_left_out", leave_out_dot}},
      .flops = [](const Case& c) { return 4.0 * heads::causal_pairs(c); },
  };
}

}  // namespace assay::ops::causal_softmax_backward
