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

#include <cmath>
#include <functional>

#include "harness/op/contract.h"
#include "kernels/data/softmax_rows.h"
#include "kernels/properties/agreement.h"
#include "reference/cross_entropy_forward_backward.h"

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

inline std::optional<std::string> row_sum_not_zero(const PropertyRun& run) {
  const int64_t rows = run.c.dim("N"), classes = run.c.dim("V");
  const Tensor& grad = run.got.get("grad");
  const std::vector<double> budget = run.budget("grad");
  for (int64_t n = 0; n < rows && !of_probs(run.c); ++n) {
    double sum = 0, allowed = 0;
    for (int64_t i = n * classes; i < (n + 1) * classes; ++i) {
      sum += grad.at(i);
      allowed += budget[static_cast<size_t>(i)] + 0x1p-50 * std::fabs(grad.at(i));  // of this sum's own roundings
    }
    if (std::isnan(sum)) continue;  // whether it should be is a question for the reference
    if (!(std::fabs(sum) <= allowed))
      return "row " + std::to_string(n) + " sums to " + std::to_string(sum) + ", allowed are " +
             std::to_string(allowed);
  }
  return std::nullopt;
}

inline std::optional<std::string> padding_matters(const PropertyRun& run) {
  const int64_t rows = run.c.dim("N"), classes = run.c.dim("V");
  Tensors given = run.given;
  Tensor& logits = given.get(rows_name(run.c));
  for (int64_t n = 0; n < rows; ++n) {
    if (target_class(run.c, given, n)) continue;
    for (int64_t v = 0; v < classes; ++v) logits.set(n * classes + v, NAN);
  }
  const auto again = run.run(run.c, std::move(given));
  return again ? properties::first_disagreement(run, *again, {"grad", "loss"}) : again.error().line();
}

// Shifts the rows in which every sum is exact, so that the mathematics is the same to the last bit.
inline std::optional<std::string> shift_matters(const PropertyRun& run) {
  constexpr double kShift = 8;
  if (of_probs(run.c)) return std::nullopt;
  const int64_t rows = run.c.dim("N"), classes = run.c.dim("V");
  Tensors given = run.given;
  Tensor& logits = given.get("logits");
  for (int64_t n = 0; n < rows; ++n) {
    bool exact = true;
    for (int64_t i = n * classes; i < (n + 1) * classes && exact; ++i) {
      const double sum = logits.at(i) + kShift;
      exact = to_double(logits.dtype(), from_double(logits.dtype(), sum)) == sum && sum - kShift == logits.at(i);
    }
    for (int64_t i = n * classes; i < (n + 1) * classes && exact; ++i) logits.set(i, logits.at(i) + kShift);
  }
  const auto again = run.run(run.c, given);
  if (!again) return again.error().line();
  return properties::first_disagreement_of(run, run.c, given, *again, {"grad", "loss"});
}

// The output of a kernel that does not know pad_id: rows of padding have a gradient and a loss like any other.
inline void ignore_padding(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  const int64_t classes = c.dim("V");
  const Tensor& logits = given.get(rows_name(c));
  const double count = is_mean(c) ? std::max(1.0, given.get("count").at(0)) : 1;
  for (int64_t n = 0; n < c.dim("N"); ++n) {
    if (target_class(c, given, n)) continue;
    const int64_t target = of_one_hot(c) ? classes : given.get("targets").bits(n);
    double largest = -INFINITY, sum = 0;
    for (int64_t v = 0; v < classes; ++v) largest = larger(largest, logits.at(n * classes + v));
    for (int64_t v = 0; v < classes; ++v) sum += std::exp(logits.at(n * classes + v) - largest);
    for (int64_t v = 0; v < classes; ++v) {
      const double x = logits.at(n * classes + v), probability = of_probs(c) ? x : std::exp(x - largest) / sum;
      outputs[0](n, v) = (probability - (v == target ? 1 : 0)) / count;
    }
    if (target >= classes) continue;
    const double x = logits.at(n * classes + target);
    const double loss = of_probs(c) ? -std::log(x + c.real("eps")) : std::log(sum) - (x - largest);
    outputs[1][of_rows(c) ? n : 0] += of_rows(c) ? loss : loss / count;
  }
}

// The output of a kernel that divides by the rows that it sees, or each row's loss too.
inline void divide_by_own_rows(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  if (!is_mean(c)) return;
  double own = 0;
  for (int64_t n = 0; n < c.dim("N"); ++n) own += target_class(c, given, n).has_value();
  const double factor = given.get("count").at(0) / std::max(1.0, own);
  for (int64_t i = 0; i < c.dim("N") * c.dim("V"); ++i) outputs[0][i] *= factor;
}

// The output of a kernel that takes what is given for logits.
inline void take_softmax_again(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  if (!of_probs(c)) return;
  const int64_t classes = c.dim("V");
  const Tensor& probs = given.get("probs");
  const double scale = is_mean(c) ? 1 / given.get("count").at(0) : 1;
  for (int64_t n = 0; n < c.dim("N"); ++n) {
    const auto target = target_class(c, given, n);
    double sum = 0;
    for (int64_t v = 0; v < classes; ++v) sum += std::exp(probs.at(n * classes + v));
    for (int64_t v = 0; v < classes && target; ++v)
      outputs[0](n, v) = (std::exp(probs.at(n * classes + v)) / sum - (v == *target)) * scale;
  }
}

// The outputs of a kernel that divides what is only added up.
inline void divide_sums(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  if (is_mean(c)) return;
  for (double& value : outputs[0].values) value /= std::max(1.0, given.get("count").at(0));
}

// The losses of a kernel that adds another eps than the case's.
inline void leave_out_eps(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  if (c.real("eps") == 0 || !of_rows(c)) return;
  for (int64_t n = 0; n < c.dim("N"); ++n)
    if (const auto target = target_class(c, given, n))
      outputs[1][n] = -std::log(given.get("probs").at(n * c.dim("V") + *target));
}

inline void divide_losses_of_rows(const Case& c, const Tensors& given, std::vector<RefTensor<double>>& outputs) {
  if (!of_rows(c)) return;
  for (int64_t n = 0; n < c.dim("N"); ++n) outputs[1][n] /= std::max(1.0, given.get("count").at(0));
}

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
