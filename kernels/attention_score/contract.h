// attention_score: what it means. Scores times the scale, and minus infinity where a causal mask hides the key.
//
// A masked position is minus infinity whatever its score is, NaN and infinities too; so a kernel may leave it unread,
// and one that adds a mask to the score is wrong.
#pragma once

#include <cmath>
#include <limits>

#include "harness/op/contract.h"
#include "kernels/properties/masks.h"
#include "kernels/properties/scale.h"
#include "kernels/properties/slices.h"
#include "reference/attention_score.h"

namespace assay::ops::attention_score {

// How far the key of score i lies after its query.
inline int64_t columns_ahead(const Case& c, int64_t i) {
  const int64_t tokens = c.dim("S");
  return i % tokens - i / tokens % tokens;
}

inline bool is_masked(const Case& c, int64_t i) { return c.text("causal") == "1" && columns_ahead(c, i) > 0; }

inline std::optional<std::string> reads_the_future(const PropertyRun& run) {
  if (run.c.text("causal") == "0") return std::nullopt;
  Tensors given = run.given;
  Tensor& scores = given.get("scores");
  for (int64_t i = 0; i < scores.count(); ++i)
    if (is_masked(run.c, i)) scores.set(i, NAN);
  const Result<Tensors> got = run.run(run.c, std::move(given));
  return got ? properties::first_disagreement(run, *got, {"masked"}) : got.error().what;
}

// The run with the mask on or off, the other way than in this one.
inline std::optional<std::string> mask_touches_the_past(const PropertyRun& run) {
  Case other = run.c;
  other.set("causal", run.c.text("causal") == "1" ? "0" : "1");
  const Result<Tensors> got = run.run(other, run.given);
  if (!got) return got.error().what;
  const Tensor& masked = run.got.get("masked");
  Tensor want(masked);
  for (int64_t i = 0; i < want.count(); ++i) {
    if (columns_ahead(run.c, i) <= 0) continue;
    if (is_masked(other, i)) want.set(i, Tracked::mask_value);
    if (is_masked(run.c, i)) want.set_bits(i, got->get("masked").bits(i));  // unmasked there: nothing to compare
  }
  auto seen = properties::first_disagreement(want, got->get("masked"), run.budget("masked"));
  if (seen) *seen += fmt::format(" with causal={}", other.text("causal"));
  return seen;
}

// `masked` under a mask that hides keys from `bound` columns ahead on.
template <int64_t kBound>
void hide_from(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  if (c.text("causal") == "0") return;
  const Tensor& scores = given.get("scores");
  const auto scale = static_cast<double>(static_cast<float>(c.real("scale")));
  for (int64_t i = 0; i < scores.count(); ++i)
    outputs[0][i] = columns_ahead(c, i) >= kBound ? -std::numeric_limits<double>::infinity() : scores.at(i) * scale;
}

inline void leave_future_visible(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  hide_from<std::numeric_limits<int64_t>::max()>(c, given, outputs);
}

inline void hide_by_lowest(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  for (int64_t i = 0; i < given.get("scores").count(); ++i)
    if (is_masked(c, i)) outputs[0][i] = -max_finite(c.dtype);
}

inline void hide_by_adding(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  for (int64_t i = 0; i < given.get("scores").count(); ++i)
    if (is_masked(c, i)) outputs[0][i] += given.get("scores").at(i);
}

inline void leave_out_scale(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const Tensor& scores = given.get("scores");
  for (int64_t i = 0; i < scores.count(); ++i)
    if (!is_masked(c, i)) outputs[0][i] = scores.at(i);
}

inline Contract contract() {
  return {
      .name = "attention_score",
      .summary = "masked_hij = scores_hij scale; with causal=1, -inf where j > i, whatever the score is",
      .dims = {{.name = "H",
                .meaning = "heads, or batches of them",
                .aliases = {"NH", "BH", "heads", "num_heads", "batch"}},
               {.name = "S",
                .meaning = "tokens: queries and keys",
                .min = 0,
                .aliases = {"T", "N", "seq_len", "n_tokens"}}},
      .repeats_along = {"H"},
      .attrs = {{.name = "scale",
                 .meaning = "factor of the scores: 1/sqrt(64), 1/sqrt(128), and others",
                 .choices = {"1", "0.125", "0.088388346", "-0.5"},
                 .aliases = {"alpha", "softmax_scale", "sm_scale", "inv_temperature"}},
                {.name = "causal",
                 .meaning = "1: keys after the query are masked",
                 .choices = {"0", "1"},
                 .aliases = {"is_causal", "use_causal"}}},
      .tensors = {{.name = "scores", .shape = {"H", "S", "S"}, .aliases = {"x", "inp", "preatt", "qk"}},  // (H, S, S)
                  {.name = "masked",
                   .role = Role::output,
                   .shape = {"H", "S", "S"},
                   .aliases = {"y", "out", "att"}}},  // (H, S, S)
      .masks_scores = true,
      .reference = reference_from([](auto& io) { reference::attention_score(io); }),
      .properties = {properties::slices_are_independent({{"scores", {"S", "S"}}}, {{"masked", {"S", "S"}}}),
                     properties::where_masks_are_infinite(properties::doubles_with({"scores"}, {"masked"})),
                     {.name = "future_is_not_read",
                      .states = "NaN in the masked scores changes nothing",
                      .broken = reads_the_future},
                     {.name = "mask_is_all_that_causal_does",
                      .states =
                          "with and without the mask, scores of keys up to the query are the same, and the mask makes "
                          "the others -inf",
                      .broken = mask_touches_the_past}},
      .mutants = {{"own_key_masked", hide_from<0>},
                  {"next_key_visible", hide_from<2>},
                  {"mask_left_out", leave_future_visible},
                  {"masked_by_lowest", hide_by_lowest},
                  {"masked_by_adding", hide_by_adding},
                  {"scale_left_out", leave_out_scale}},
      .flops = [](const Case& c) { return static_cast<double>(c.dim("H") * c.dim("S") * c.dim("S")); },
  };
}

}  // namespace assay::ops::attention_score
