// A second run of a gradient adds the same once more, or replaces it by itself, as each output's role has it.
#pragma once

#include <cmath>

#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"

namespace assay::properties {

// The run's own results as what the next one starts from. Where out = before + sum, the next is before + 2 sum, that is
// 2 out - before; its own budget is that of a sum that starts from larger numbers. Budgets of exact data are 0 and
// leave out how results are rounded, which here makes a difference: out is rounded and doubled, and so is the second
// result.
inline std::optional<std::string> second_run_differs(const PropertyRun& run, const std::vector<std::string>& outputs) {
  const Result<Tensors> got = run.run(run.c, run.got);
  if (!got) return got.error().what;
  for (const std::string& name : outputs) {
    const Tensor &before = run.given.get(name), &once = run.got.get(name), &twice = got->get(name);
    const bool adds = before.role() == Role::accumulate;
    const std::vector<double> first = run.budget(name);
    std::vector<double> second = first;  // its own is made where that does not do, for it takes the reference's time
    bool is_own = false;
    for (int64_t i = 0; i < once.count(); ++i) {
      const double want = adds ? 2 * once.at(i) - before.at(i) : once.at(i);
      const double roundings = adds ? ulp(once.dtype(), once.at(i)) + ulp(once.dtype(), want) / 2 : 0;
      const auto may_be = [&] {
        const double allowed =
            (adds ? 2 : 1) * first[static_cast<size_t>(i)] + second[static_cast<size_t>(i)] + roundings;
        return agree(once.dtype(), want, twice.at(i), allowed);
      };
      if (!std::isfinite(once.at(i)) && !std::isfinite(twice.at(i))) continue;  // what it is, the reference says
      if (may_be()) continue;
      if (!is_own) second = run.budget_on(run.c, run.got, name);
      is_own = true;
      if (!may_be())
        return fmt::format("{}{} was {:.9g}, is {:.9g} after one run and {:.9g} after two", name,
                           index_text(once.shape(), i), adds ? before.at(i) : 0, once.at(i), twice.at(i));
    }
  }
  return std::nullopt;
}

inline Property second_run(std::vector<std::string> outputs) {
  return {.name = "second_run",
          .states = "a second run adds the same once more, or replaces it by itself",
          .broken = [=](const PropertyRun& run) { return second_run_differs(run, outputs); }};
}

}  // namespace assay::properties
