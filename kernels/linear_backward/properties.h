// What holds of the gradients of a linear layer, whatever the reference says.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"
#include "kernels/properties/rows.h"

namespace assay::ops::linear_backward {

inline std::optional<std::string> order_matters(const PropertyRun& run) {
  if (run.c.dim("T") < 2) return std::nullopt;
  Tensors given = run.given;
  for (const char* name : {"dy", "x", "dx"}) given.get(name) = properties::reversed_rows(run.given.get(name));
  Result<Tensors> got = run.run(run.c, given);
  if (!got) return got.error().what;
  got->get("dx") = properties::reversed_rows(got->get("dx"));
  if (auto seen = properties::first_disagreement(run, *got, {"dx"})) return seen;
  return properties::first_disagreement_of(run, run.c, given, *got, {"dw", "db"});  // sums in another order
}

// The run's own results as what the next one starts from. Where out = before + sum, the next is before + 2 sum, that is
// 2 out - before; its own budget is that of a sum that starts from larger numbers. Budgets of exact data are 0 and
// leave out how results are rounded, which here makes a difference: out is rounded and doubled, and so is the second
// result.
inline std::optional<std::string> second_run_differs(const PropertyRun& run) {
  const Result<Tensors> got = run.run(run.c, run.got);
  if (!got) return got.error().what;
  for (const char* name : {"dx", "dw", "db"}) {
    const Tensor &before = run.given.get(name), &once = run.got.get(name), &twice = got->get(name);
    const bool adds = before.role() == Role::accumulate;
    const std::vector<double> first = run.budget(name), second = run.budget_on(run.c, run.got, name);
    for (int64_t i = 0; i < once.count(); ++i) {
      const double want = adds ? 2 * once.at(i) - before.at(i) : once.at(i);
      const double roundings = adds ? ulp(once.dtype(), once.at(i)) + ulp(once.dtype(), want) / 2 : 0;
      const double allowed =
          (adds ? 2 : 1) * first[static_cast<size_t>(i)] + second[static_cast<size_t>(i)] + roundings;
      if (!std::isfinite(once.at(i)) && !std::isfinite(twice.at(i))) continue;  // what it is, the reference says
      if (!properties::agree(once.dtype(), want, twice.at(i), allowed))
        return fmt::format("{}{} was {:.9g}, is {:.9g} after one run and {:.9g} after two", name,
                           index_text(once.shape(), i), adds ? before.at(i) : 0, once.at(i), twice.at(i));
    }
  }
  return std::nullopt;
}

}  // namespace assay::ops::linear_backward
