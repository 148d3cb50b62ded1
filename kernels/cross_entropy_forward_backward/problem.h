// The cases of cross_entropy_forward_backward: what a target is, which choices go together, and the tensors' data.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "harness/op/contract.h"
#include "kernels/data/softmax_rows.h"

namespace assay::ops::cross_entropy_forward_backward {

inline bool of_one_hot(const Case& c) { return c.text("encoding") == "one_hot"; }

// The class of a target, or nothing for one that counts as padding.
inline std::optional<int64_t> class_of(const Case& c, int64_t target) {
  if (target == std::stoll(c.text("pad_id")) || target >= c.dim("V")) return std::nullopt;
  return target;
}

// That of row n.
inline std::optional<int64_t> target_class(const Case& c, const Tensors& given, int64_t n) {
  if (!of_one_hot(c)) return class_of(c, given.get("targets").bits(n));
  for (int64_t v = 0; v < c.dim("V"); ++v)
    if (given.get("one_hot").at(n * c.dim("V") + v) != 0) return v;
  return std::nullopt;
}

// Whether there are rows that are no padding, and no class for them.
inline bool has_no_class(const Case& c) {
  const int64_t classes = c.dim("V");
  return c.dim("N") > 0 && c.text("pad") != "all" && classes - (std::stoll(c.text("pad_id")) < classes) <= 0;
}

inline bool of_probs(const Case& c) { return c.text("given") == "probs"; }
inline bool is_mean(const Case& c) { return c.text("reduction") == "mean"; }
inline const char* rows_name(const Case& c) { return of_probs(c) ? "probs" : "logits"; }

inline std::optional<Error> contradiction(const Case& c) {
  if (has_no_class(c))
    return Error{"V leaves no class besides pad_id, and rows are no padding", "use pad=all, or a larger V"};
  if (!of_probs(c) && c.real("eps") != 0) return Error{"eps is added to given probabilities alone", "use eps=0"};
  if (!is_mean(c) && c.text("counted") != "call")
    return Error{"nothing is divided by the count of a batch", "use counted=call, or reduction=mean"};
  if (const std::string& alias = c.text(kAliasAttr); alias != "none" && alias != std::string("grad:") + rows_name(c))
    return Error{"grad cannot lie in what is not given", std::string("use alias=grad:") + rows_name(c)};
  return std::nullopt;
}

inline void remove_contradictions(Case& c) {
  if (has_no_class(c)) c.set("pad", "all");
  if (!of_probs(c)) c.set("eps", "0");
  if (!is_mean(c)) c.set("counted", "call");
  if (c.text(kAliasAttr) != "none") c.set(kAliasAttr, std::string("grad:") + rows_name(c));
}

// A class that is not padding; pad_id where there is none.
inline int64_t valid_target(const Case& c, Rng& rng) {
  const int64_t classes = c.dim("V"), pad_id = std::stoll(c.text("pad_id"));
  const int64_t choices = pad_id < classes ? classes - 1 : classes;
  if (choices <= 0) return pad_id;
  const auto target = static_cast<int64_t>(rng.below(static_cast<uint64_t>(choices)));
  return pad_id < classes && target >= pad_id ? target + 1 : target;
}

// Some means a third of the rows, and one of them for certain, so that one row is enough to show what goes wrong.
inline void make_targets(const Case& c, Rng& rng, Tensor& targets) {
  const int64_t rows = c.dim("N"), classes = c.dim("V");
  if (rows == 0 || targets.absent()) return;
  const auto padding_for_certain = static_cast<int64_t>(rng.below(static_cast<uint64_t>(rows)));
  const auto outside_for_certain = static_cast<int64_t>(rng.below(static_cast<uint64_t>(rows)));
  const int64_t outside[] = {classes, classes + 1, 0x80000000, 0xFFFFFFFE};  // the last two are negative as int
  const std::string &pad = c.text("pad"), &kind = c.text("targets");
  for (int64_t n = 0; n < rows; ++n) {
    const bool pick_padding = rng.below(3) == 0 || n == padding_for_certain;
    const bool pick_outside = rng.below(3) == 0 || n == outside_for_certain;
    const int64_t beyond = std::max(classes, outside[rng.below(4)]);
    int64_t target = valid_target(c, rng);
    if (kind == "out_of_range" && pick_outside) target = beyond;
    if (pad == "all" || (pad == "some" && pick_padding)) target = std::stoll(c.text("pad_id"));
    targets.set_bits(n, static_cast<uint32_t>(target));
  }
}

// Whatever form the labels have.
inline Tensor targets_of(const Case& c) {
  Tensor targets("targets", DType::u32, Role::input, {c.dim("N")});
  Rng rng = Rng::stream(c.seed, "targets");
  make_targets(c, rng, targets);
  return targets;
}

inline void make_one_hot(const Case& c, Rng&, Tensor& one_hot) {
  const Tensor targets = targets_of(c);
  for (int64_t i = 0; i < one_hot.count(); ++i) one_hot.set(i, 0);
  for (int64_t n = 0; n < targets.count() && !one_hot.absent(); ++n)
    if (const auto target = class_of(c, targets.bits(n))) one_hot.set(n * c.dim("V") + *target, 1);
}

inline bool of_rows(const Case& c) { return c.text("loss") == "rows"; }

// The number of rows that are not padding: what a training loop knows from its batch and hands to the kernel. The other
// calls of a batch have up to thrice as many rows, and one for certain.
inline void make_count(const Case& c, Rng& rng, Tensor& count) {
  const Tensor targets = targets_of(c);
  uint32_t rows = 0;
  for (int64_t n = 0; n < targets.count(); ++n) rows += class_of(c, targets.bits(n)).has_value();
  if (c.text("counted") == "batch") rows += 1 + static_cast<uint32_t>(rng.below(3 * static_cast<uint64_t>(rows) + 1));
  count.set_bits(0, rows);
}

// A row of equal logits is in the contract down to the lowest finite value, but the loss of a row is the distance of
// two of them and must stay finite in f32, and so must the sum of 10^8 such rows.
inline void make_logits(const Case& c, Rng& rng, Tensor& logits) {
  apply_fill(c, rng, c.fill == "lowest_rows" ? 0 : 1e30, logits);
}

// They are the softmax of finite logits that lie near each other, rounded.
inline void make_probs(const Case& c, Rng& rng, Tensor& probs) {
  constexpr double kLeast = 0x1p-12;
  apply_fill(c, rng, 8, probs);
  data::softmax_rows(probs, c.dim("V"));
  for (int64_t i = 0; i < probs.count(); ++i)
    if (probs.at(i) < kLeast) probs.set(i, kLeast);
}

}  // namespace assay::ops::cross_entropy_forward_backward
