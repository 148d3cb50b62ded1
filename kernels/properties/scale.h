// Properties of ops that are linear in some of their inputs.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/op/contract.h"

namespace assay::properties {

// Whether doubling some of this data doubles every intermediate exactly: all of it is 0 or so far from the ends of
// f32's exponent range that products of a few elements, and what cancelling leaves of them, are normal numbers.
inline bool doubles_exactly(const Tensors& given) {
  for (const Tensor& tensor : given) {
    if (tensor.role() == Role::output) continue;
    for (int64_t i = 0; i < tensor.count(); ++i) {
      const double size = std::fabs(tensor.at(i));
      if (size != 0 && !(size >= 0x1p-24 && size <= 0x1p14)) return false;
    }
  }
  return true;
}

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

// Doubling `inputs` (an accumulated output's initial values may be among them) doubles `outputs`: bit for bit for those
// in `exact_outputs` when the data is not extreme, and otherwise within the budgets of both runs, which are two of the
// first run's for its doubled result and two for the second run's.
inline Property doubles_with(std::vector<std::string> inputs, std::vector<std::string> outputs,
                             std::vector<std::string> exact_outputs) {
  const auto broken = [=](const PropertyRun& run) -> std::optional<std::string> {
    Tensors given = run.given;
    for (const std::string& name : inputs)
      if (!double_elements(given.get(name))) return std::nullopt;
    const bool exact_data = doubles_exactly(given);
    const Result<Tensors> got = run.run(run.c, std::move(given));
    if (!got) return got.error().what;
    for (const std::string& name : outputs) {
      const Tensor &once = run.got.get(name), &twice = got->get(name);
      const bool exact = exact_data && std::count(exact_outputs.begin(), exact_outputs.end(), name) > 0;
      const double smallest = std::ldexp(1.0, min_exponent(once.dtype())), largest = max_finite(once.dtype());
      const std::vector<double> budget = run.budget(name);
      for (int64_t i = 0; i < once.count(); ++i) {
        const double want = 2 * once.at(i);
        const bool rounds_alike = exact && std::fabs(want) > 2 * smallest;  // `smallest` may be a subnormal, rounded up
        const double allowed = rounds_alike ? 0 : 4 * budget[static_cast<size_t>(i)];
        if (want == twice.at(i) || (std::isnan(want) && std::isnan(twice.at(i)))) continue;
        if (std::isfinite(want) && std::fabs(want) > largest - allowed) continue;
        if (!(std::fabs(twice.at(i) - want) <= allowed))
          return fmt::format("{}{} goes from {:.9g} to {:.9g}", name, index_text(once.shape(), i), once.at(i),
                             twice.at(i));
      }
    }
    return std::nullopt;
  };
  return {.name = "doubles", .states = "doubling what the op is linear in doubles the result", .broken = broken};
}

}  // namespace assay::properties
