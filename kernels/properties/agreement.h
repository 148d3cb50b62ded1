// Comparing two results for the same mathematics, for properties that run a variant again on other data.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "harness/op/contract.h"

namespace assay::properties {

// The first element of `outputs` that differs between this run and `again` by more than both may err: two budgets, and
// nothing where the budget is 0. Any NaN equals any other.
inline std::optional<std::string> first_disagreement(const PropertyRun& run, const Tensors& again,
                                                     const std::vector<std::string>& outputs) {
  for (const std::string& name : outputs) {
    const Tensor &a = run.got.get(name), &b = again.get(name);
    const std::vector<double> budget = run.budget(name);
    for (int64_t i = 0; i < a.count(); ++i) {
      const bool same = a.bits(i) == b.bits(i) || (std::isnan(a.at(i)) && std::isnan(b.at(i)));
      if (same || std::fabs(a.at(i) - b.at(i)) <= 2 * budget[static_cast<size_t>(i)]) continue;
      return fmt::format("{}{} goes from {:.9g} to {:.9g}", name, index_text(a.shape(), i), a.at(i), b.at(i));
    }
  }
  return std::nullopt;
}

}  // namespace assay::properties
