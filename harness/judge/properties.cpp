// The contract's metamorphic oracles: facts that hold whatever the reference computes.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "harness/base/check.h"
#include "harness/base/running.h"
#include "harness/judge/judge.h"
#include "harness/op/launch_choice.h"

namespace assay::judge {
namespace {

std::vector<double> budget_in(const Expected& expected, std::string_view tensor) {
  for (const ExpectedTensor& want : expected) {
    if (want.name != tensor) continue;
    // Elements that are only moved are right or wrong, except those that a close decision settles.
    std::vector<double> budget = want.budget;
    for (size_t i = 0; i < want.bits.size(); ++i)
      if (want.is_known(static_cast<int64_t>(i))) budget[i] = 0;
    for (const auto& [i, other] : want.alternatives)
      budget[static_cast<size_t>(i)] = std::numeric_limits<double>::infinity();
    return budget;
  }
  ASSAY_CHECK(false, "a property asks for the budget of '" + std::string(tensor) + "', which is not written");
}

// The largest error of an honest kernel on other data, by whichever formula: the one that fits a run of this case need
// not fit a run of another.
std::vector<double> largest_budget(const Trial& trial, const Case& c, const Tensors& given, std::string_view tensor) {
  const Oracle oracle{trial.contract, trial.variant, c, given};
  std::vector<double> largest = budget_in(oracle.expect(), tensor);
  for (const Formula& formula : oracle.other_formulas()) {
    const std::vector<double> other = budget_in(oracle.expect(formula.name), tensor);
    for (size_t i = 0; i < largest.size(); ++i) largest[i] = std::max(largest[i], other[i]);
  }
  return largest;
}

// Whether the inputs that the variant wants constant are so: properties change data, too.
bool holds_constants(const Trial& trial, const Tensors& given) {
  return std::ranges::all_of(trial.variant.constants, [&](const Constant& constant) {
    const Tensor &before = trial.given.get(constant.tensor), &now = given.get(constant.tensor);
    for (int64_t i = 0; i < now.count(); ++i)
      if (before.count() == 0 || now.at(i) != before.at(0)) return false;
    return true;
  });
}

}  // namespace

Findings properties(const Trial& trial, Device& device) {
  bool out_of_reach = false;  // a property wanted a case that the variant does not support, so it reports nothing
  const PropertyRun run{
      .c = trial.c,
      .given = trial.given,
      .got = trial.got,
      .run = [&](const Case& c, Tensors given) -> Result<Tensors> {
        if (!holds_constants(trial, given)) {
          out_of_reach = true;
          return fail("not for data in which a constant input varies");
        }
        auto why = refused_choice(trial.contract, trial.variant, c);
        if (!why && trial.variant.unsupported) why = trial.variant.unsupported(c);
        if (why) {
          out_of_reach = true;
          return fail("unsupported: " + *why);
        }
        Expected expected;  // of this data, before the run changes what it accumulates into
        if (!trial.variant.omits.empty()) expected = Oracle{trial.contract, trial.variant, c, given}.expect();
        const Findings findings = device.run(trial.variant, c, given, c.schedule);
        if (!findings.empty()) {
          const auto worst = Verdict::worst(findings);
          out_of_reach = !is_failure(worst.kind);  // a library that has no plan for the shape, say
          return fail(worst.detail);
        }
        supply_omitted(trial.variant, expected, given);
        return given;
      },
      .budget = [&](std::string_view tensor) { return budget_in(trial.expected, tensor); },
      .budget_on = [&](const Case& c, const Tensors& given,
                       std::string_view tensor) { return largest_budget(trial, c, given, tensor); },
  };
  Findings findings;
  for (const Property& property : trial.contract.properties) {
    out_of_reach = false;
    const Running oracle(fmt::format("the property '{}' of op {}", property.name, trial.contract.name));
    if (auto seen = property.broken(run); seen && !out_of_reach)
      findings.push_back(
          {Kind::property, fmt::format("{} ({}): {}", property.name, property.states, *seen), property.name});
  }
  return findings;
}

}  // namespace assay::judge
