// Properties of ops that are linear in some of their inputs.
#pragma once

#include <cmath>

#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"

namespace assay::properties {

// Doubles the elements in place; false when one overflows. Non-finite elements stay.
inline bool double_elements(Tensor& tensor) {
  for (int64_t i = 0; i < tensor.count(); ++i) {
    const double doubled = 2 * tensor.at(i);
    if (!std::isfinite(doubled)) continue;
    if (doubled > max_finite(tensor.dtype()) || -doubled > max_finite(tensor.dtype())) return false;
    tensor.set(i, doubled);
  }
  return true;
}

// Doubling `inputs` (outputs may be among them: what those hold that the case accumulates into) doubles `outputs`,
// within the budgets of both runs: two of the first run's for its doubled result, and two for the second run's.
inline Property doubles_with(std::vector<std::string> inputs, std::vector<std::string> outputs) {
  const auto broken = [=](const PropertyRun& run) -> std::optional<std::string> {
    Tensors given = run.given;
    for (const std::string& name : inputs)
      if (given.get(name).role() != Role::output && !double_elements(given.get(name))) return std::nullopt;
    const Result<Tensors> got = run.run(run.c, std::move(given));
    if (!got) return got.error().what;
    for (const std::string& name : outputs) {
      const Tensor &once = run.got.get(name), &twice = got->get(name);
      const std::vector<double> budget = run.budget(name);
      const Regions& regions = run.given.get(name).regions();  // what is kept does not double
      for (int64_t i = 0; i < once.count(); ++i)
        if (regions.at(i) != Region::kept &&
            !agree(once.dtype(), 2 * once.at(i), twice.at(i), 4 * budget[static_cast<size_t>(i)]))
          return fmt::format("{}{} goes from {:.9g} to {:.9g}", name, index_text(once.shape(), i), once.at(i),
                             twice.at(i));
    }
    return std::nullopt;
  };
  return {.name = "doubles", .states = "doubling what the op is linear in doubles the result", .broken = broken};
}

}  // namespace assay::properties
