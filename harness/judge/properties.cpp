// The contract's metamorphic oracles: facts that hold whatever the reference computes.
#include <fmt/format.h>

#include "harness/base/check.h"
#include "harness/judge/judge.h"

namespace assay::judge {

Findings properties(const Trial& trial, Device& device) {
  bool out_of_reach = false;  // a property wanted a case that the variant does not support, so it reports nothing
  const PropertyRun run{
      .c = trial.c,
      .given = trial.given,
      .got = trial.got,
      .budget =
          [&](std::string_view tensor) {
            for (const ExpectedTensor& want : trial.expected)
              if (want.name == tensor) return want.budget;
            ASSAY_CHECK(false, "a property asks for the budget of '" + std::string(tensor) + "', which is not written");
          },
      .run = [&](const Case& c, Tensors given) -> Result<Tensors> {
        if (trial.variant.unsupported)
          if (auto why = trial.variant.unsupported(c)) {
            out_of_reach = true;
            return fail("unsupported: " + *why);
          }
        const Findings findings = device.run(trial.variant, c, given, c.schedule);
        if (!findings.empty()) return fail(Verdict::worst(findings).detail);
        return given;
      },
  };
  Findings findings;
  for (const Property& property : trial.contract.properties) {
    out_of_reach = false;
    if (auto seen = property.broken(run); seen && !out_of_reach)
      findings.push_back({Kind::property, fmt::format("{} ({}): {}", property.name, property.states, *seen)});
  }
  return findings;
}

}  // namespace assay::judge
