// Facts of cross_entropy_forward_backward that hold whatever the reference says, and the mistakes that kernels make.
#pragma once

#include <cmath>

#include "kernels/cross_entropy_forward_backward/problem.h"
#include "kernels/properties/agreement.h"

namespace assay::ops::cross_entropy_forward_backward {

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

}  // namespace assay::ops::cross_entropy_forward_backward
