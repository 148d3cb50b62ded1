// The oracle of a run: the op's reference, computed as the variant declares.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/expected.h"
#include "harness/op/composite.h"
#include "harness/op/contract.h"
#include "harness/op/variant.h"

namespace assay {

// The formulas, of their own ops, by which steps of a composite are computed; those not listed by the canonical one.
using StepFormulas = std::map<std::string, std::string>;

// Has the reference of each step of the case computed as its variant declares. Holds on to `whole` and `c`.
AroundStep as_declared(const Variant& whole, const Case& c, StepFormulas formulas = {});

struct Oracle {
  const Contract& contract;
  const Variant& variant;
  const Case& c;
  const Tensors& given;

  Expected expect(std::string_view formula = {}) const;

  // The results that a composite's variant may write whose steps are computed by these formulas.
  Expected expect_steps(const StepFormulas& formulas) const;

  // The formulas, besides the canonical one, by which the case may be computed.
  std::vector<Formula> other_formulas() const;

  // Outputs of `got` that miss their budgets are expected by another formula from now on, if all of the output fits
  // that. Returns whether every output fits then.
  bool take_fitting_formulas(const Tensors& got, Expected& expected) const;

  // For codes (u8) other than the reference's: expects from now on what a right kernel would have written that decides
  // as `got` does, if the reference asks for that (harness/op/decided.h). Returns how many decisions of got's are right
  // and not the reference's.
  int64_t take_decisions(const Tensors& got, Expected& expected) const;
};

}  // namespace assay
