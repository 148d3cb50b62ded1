// Comparing two results for the same mathematics, for properties that run a variant again on other data.
//
// Honest kernels give the same number to within their budgets and no better: the order of a sum may depend on where a
// row lies, exp may be exp2 of a product. So nothing here asks for equal bits, except where the budget is 0 because the
// op only moves its elements.
#pragma once

#include <fmt/format.h>

#include <cmath>

#include "harness/op/contract.h"

namespace assay::properties {

// Whether both may be honest results for one number when they may err by `allowed` together. Any NaN equals any other,
// and what lies so near the end of the dtype's range may be infinite, of either sign where that is less than `allowed`.
inline bool agree(DType dtype, double a, double b, double allowed) {
  if (a == b || std::isinf(allowed) || (std::isnan(a) && std::isnan(b))) return true;
  if (std::isinf(a)) std::swap(a, b);
  const double largest = max_finite(dtype), overflows_from = largest + ulp(dtype, largest) / 2;
  if (std::isinf(b)) {
    const double least = std::isinf(a) ? std::copysign(overflows_from, a) : a;
    return (b > 0 ? least : -least) + allowed >= overflows_from;
  }
  return std::fabs(a - b) <= allowed;  // false for NaN
}

// The first element of `again` that does not agree with that of `once`. Each of the two may err by its `budget`.
inline std::optional<std::string> first_disagreement(const Tensor& once, const Tensor& again,
                                                     const std::vector<double>& budget) {
  for (int64_t i = 0; i < once.count(); ++i) {
    const double allowed = 2 * budget[static_cast<size_t>(i)];
    if (once.bits(i) == again.bits(i) || agree(once.dtype(), once.at(i), again.at(i), allowed)) continue;
    return fmt::format("{}{} goes from {:.9g} to {:.9g}, {:.3g} apart at most", once.name(),
                       index_text(once.shape(), i), once.at(i), again.at(i), allowed);
  }
  return std::nullopt;
}

// The same over `outputs`, for a run of case `c` on other numbers, `given_again`: each of the two errs by budgets of
// its own, which depend on the order of the terms of a sum. Those of the second run take time, and are made when the
// first run's do not do for both.
inline std::optional<std::string> first_disagreement_of(const PropertyRun& run, const Case& c,
                                                        const Tensors& given_again, const Tensors& again,
                                                        const std::vector<std::string>& outputs) {
  for (const std::string& name : outputs) {
    const Tensor& once = run.got.get(name);
    std::vector<double> budget = run.budget(name);
    if (!first_disagreement(once, again.get(name), budget)) continue;
    const std::vector<double> other = run.budget_on(c, given_again, name);
    for (size_t i = 0; i < budget.size(); ++i) budget[i] = (budget[i] + other[i]) / 2;
    if (auto seen = first_disagreement(once, again.get(name), budget)) return seen;
  }
  return std::nullopt;
}

// The same over `outputs`, for a run that computes the same numbers as the case's own: its budgets are the same too.
inline std::optional<std::string> first_disagreement(const PropertyRun& run, const Tensors& again,
                                                     const std::vector<std::string>& outputs) {
  for (const std::string& name : outputs)
    if (auto seen = first_disagreement(run.got.get(name), again.get(name), run.budget(name))) return seen;
  return std::nullopt;
}

}  // namespace assay::properties
