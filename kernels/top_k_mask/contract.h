// top_k_mask: what it means. The k largest logits of every row stay, in place; the others become minus infinity.
//
// A kernel may declare a number instead of minus infinity (mask_value). Exactly min(k, V) elements stay. A NaN counts
// as larger than every number, so that none is swallowed; among equals, among NaN, and between +0 and -0, the lower
// index goes first.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "harness/op/contract.h"
#include "kernels/properties/masks.h"
#include "kernels/properties/rows.h"
#include "reference/top_k_mask.h"

namespace assay::ops::top_k_mask {

constexpr double kMasked = -std::numeric_limits<double>::infinity();

// all: the fill as it is. few: every row takes up to four values of it, and its zeros have either sign.
inline void make_logits(const Case& c, Rng& rng, Tensor& logits) {
  apply_fill(c, rng, 0, logits);
  const int64_t vocab = c.dim("V");
  if (c.text("values") != "few") return;
  for (int64_t row = 0; row < logits.count(); row += vocab) {
    const auto choices = static_cast<uint64_t>(std::min<int64_t>(vocab, 4));
    for (int64_t i = row; i < row + vocab; ++i) {
      const auto pick = static_cast<int64_t>(rng.below(choices));
      logits.set_bits(i, logits.bits(row + pick));
      if (logits.at(i) == 0 && rng.below(2) == 0) logits.set(i, -0.0);
    }
  }
}

// Elements of row r of `logits` that are not masked.
inline int64_t unmasked(const Tensor& logits, int64_t r, int64_t vocab) {
  int64_t count = 0;
  for (int64_t i = r * vocab; i < (r + 1) * vocab; ++i) count += logits.at(i) != kMasked;
  return count;
}

// Logits of minus infinity come last, so they make way for all others.
inline std::optional<std::string> other_than_k_survive(const PropertyRun& run) {
  const int64_t rows = run.c.dim("rows"), vocab = run.c.dim("V"), k = run.c.dim("k");
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t want = std::min(k, unmasked(run.given.get("logits"), r, vocab));
    const int64_t survivors = unmasked(run.got.get("logits"), r, vocab);
    if (survivors != want) return fmt::format("row {} keeps {} elements, not {}", r, survivors, want);
  }
  return std::nullopt;
}

inline std::optional<std::string> lost_with_larger_k(const PropertyRun& run) {
  Case wider = run.c;
  wider.set("k", std::to_string(run.c.dim("k") + 1));
  return properties::lost_in(run, wider, "logits");
}

// Indices of row r in its order.
template <class Before>
std::vector<int64_t> order_of(const Tensor& logits, int64_t r, int64_t vocab, Before before) {
  std::vector<int64_t> order(static_cast<size_t>(vocab));
  std::iota(order.begin(), order.end(), r * vocab);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return before(logits.at(a), logits.at(b)); });
  return order;
}

// The output of a kernel that compares with the k-th largest value only: all of its equals stay.
inline void keep_all_ties(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const int64_t vocab = c.dim("V"), k = c.dim("k");
  const Tensor& logits = given.get("logits");
  if (k >= vocab) return;
  for (int64_t r = 0; r < c.dim("rows"); ++r) {
    const auto order = order_of(logits, r, vocab, reference::comes_before);
    const double last = logits.at(order[static_cast<size_t>(k - 1)]);
    for (const int64_t i : order)
      if (logits.at(i) == last) outputs[0][i] = last;
  }
}

// Among equals the highest index goes first, as an order that is not stable may have it.
inline void cut_ties_from_the_front(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const int64_t vocab = c.dim("V"), k = c.dim("k");
  const Tensor& logits = given.get("logits");
  for (int64_t r = 0; r < c.dim("rows"); ++r) {
    auto order = order_of(logits, r, vocab, [](double a, double b) { return reference::comes_before(b, a); });
    std::reverse(order.begin(), order.end());
    for (int64_t place = 0; place < vocab; ++place) {
      const int64_t i = order[static_cast<size_t>(place)];
      outputs[0][i] = place < k ? logits.at(i) : Tracked::mask_value;
    }
  }
}

inline void keep_one_less(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const int64_t vocab = c.dim("V"), k = c.dim("k");
  if (k >= vocab) return;
  for (int64_t r = 0; r < c.dim("rows"); ++r)
    outputs[0][order_of(given.get("logits"), r, vocab, reference::comes_before)[static_cast<size_t>(k - 1)]] =
        Tracked::mask_value;
}

inline Contract contract() {
  return {
      .name = "top_k_mask",
      .summary =
          "the k largest of every row stay, the others become -inf; lowest index first among equals, NaN first "
          "of all; k >= V changes nothing",
      .dims = {{.name = "rows",
                .meaning = "independent rows",
                .min = 0,
                .aliases = {"N", "B", "batch", "batch_size", "num_rows"}},
               {.name = "V",
                .meaning = "elements of a row",
                .min = 0,
                .max = int64_t{1} << 31,
                .aliases = {"C", "cols", "vocab", "vocab_size", "row_size"}},
               {.name = "k", .meaning = "how many of them stay", .usual_max = 512, .aliases = {"top_k"}}},
      .repeats_along = {"rows"},
      .attrs = {{.name = "values",
                 .meaning = "whether a row has all values of the fill or a few of them",
                 .choices = {"all", "few"}}},
      .tensors = {{.name = "logits",
                   .role = Role::inout,
                   .shape = {"rows", "V"},
                   .make = make_logits,
                   .aliases = {"x", "scores"}}},
      .masks_scores = true,
      .reference = reference_from([](auto& io) { reference::top_k_mask(io); }),
      .properties =
          {properties::where_masks_are_infinite(properties::keeps_bits_or_masks("logits", kMasked)),
           properties::where_masks_are_infinite({.name = "k_survive",
                                                 .states = "min(k, V) elements of a row stay, those of -inf last",
                                                 .broken = other_than_k_survive}),
           {.name = "grows_with_k", .states = "what stays for k stays for k + 1", .broken = lost_with_larger_k},
           properties::where_masks_are_infinite(properties::is_idempotent("logits")),
           properties::rows_are_independent({"logits"}, {"logits"})},
      .mutants = {{"all_ties_kept", keep_all_ties},
                  {"ties_cut_from_the_front", cut_ties_from_the_front},
                  {"one_less_kept", keep_one_less}},
  };
}

}  // namespace assay::ops::top_k_mask
