// Runs the reference with the tracked scalar and turns what it tracked into budgets.
#include "harness/judge/oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/base/fresh_memory.h"
#include "harness/base/parallel.h"
#include "harness/base/running.h"
#include "harness/judge/declared.h"
#include "harness/op/decided.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

double budget_of(const Tracked& element, DType dtype, bool exact) {
  if (std::isinf(element.e)) return std::numeric_limits<double>::infinity();
  if (exact || !std::isfinite(element.v)) return 0;
  const double spread = kBudgetFactor * element.spread();
  if (spread == 0 && to_double(dtype, from_double(dtype, element.v)) == element.v) return 0;  // nothing is rounded
  return spread + ulp(dtype, std::fabs(element.v) + spread) / 2;
}

// Whether every right kernel gives the same bits: one that adds and copies whole numbers, times whole numbers at most.
bool adds_exactly(const Contract& contract, const Case& c) {
  const auto is_fraction = [](const Param& each) { return each.real() && *each.real() != std::floor(*each.real()); };
  return contract.linear && find_fill(c.fill)->exact && std::ranges::none_of(c.params, is_fraction);
}

// The reference's results as what is expected of the written tensors.
Expected with_budgets(const Contract& contract, const Case& c, const Tensors& given,
                      const std::vector<RefTensor<Tracked>>& results, std::string_view formula) {
  const bool computes_exactly = adds_exactly(contract, c);
  Expected expected;
  for (const RefTensor<Tracked>& result : results) {
    ExpectedTensor tensor{.name = result.name,
                          .formula = std::string(formula),
                          .dtype = given.get(result.name).dtype(),
                          .shape = result.shape};
    const bool exact = computes_exactly || !is_float(tensor.dtype);  // a count is right or wrong
    tensor.value = fresh_vector<double>(std::ssize(result.values));
    tensor.budget = fresh_vector<double>(std::ssize(result.values));
    in_parts(std::ssize(result.values), [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
        const Tracked& element = result.values[i];
        tensor.value[i] = exact ? to_double(tensor.dtype, from_double(tensor.dtype, element.v)) : element.v;
        tensor.budget[i] = budget_of(element, tensor.dtype, exact);
      }
    });
    for (const Regions::Run& run : given.get(result.name).regions().runs())
      for (int64_t i = run.begin; run.region == Region::kept && i < run.end; ++i)
        tensor.budget[static_cast<size_t>(i)] = 0;
    for (const auto& [i, other] : result.alternatives)
      if (const uint64_t bits = from_double(tensor.dtype, other.v); bits != tensor.right_bits(i))
        tensor.alternatives.emplace(i, bits);
    expected.push_back(std::move(tensor));
  }
  return expected;
}

}  // namespace

Expected Oracle::expect(std::string_view formula) const {
  if (!variant.steps.empty()) return expect_steps({});
  const ByFormula by_formula(formula);
  const TrackedPrecision precision = declared_precision(variant, c);
  const Running reference("the reference of op " + contract.name);
  Expected expected = with_budgets(contract, c, given, contract.reference.tracked(c, given), formula);
  if (contract.reference.bits) {
    size_t next = 0;
    for (const RefTensor<Bits>& result : contract.reference.bits(c, given)) {
      std::vector<uint64_t>& bits = expected[next++].bits;
      bits.reserve(result.values.size());
      for (const Bits& element : result.values) bits.push_back(element.bits);
    }
  }
  return expected;
}

AroundStep as_declared(const Variant& whole, const Case& c, StepFormulas formulas) {
  return [&whole, &c, formulas = std::move(formulas)](const Step& step, const Case& inner,
                                                      const std::function<void()>& run) {
    const TrackedPrecision precision = declared_precision(*variant_of_step(whole, step, c), inner);
    const auto formula = formulas.find(step.name);
    const ByFormula by_formula(formula == formulas.end() ? std::string_view{} : std::string_view(formula->second));
    run();
  };
}

Expected Oracle::expect_steps(const StepFormulas& formulas) const {
  return with_budgets(contract, c, given,
                      run_references<Tracked>(contract.steps, c, given, as_declared(variant, c, formulas)), "");
}

std::vector<Formula> Oracle::other_formulas() const {
  std::vector<Formula> formulas;
  for (const Formula& formula : contract.formulas)
    if (!formula.applies || formula.applies(c)) formulas.push_back(formula);
  return formulas;
}

bool Oracle::take_fitting_formulas(const Tensors& got, Expected& expected) const {
  std::vector<size_t> missed;
  for (size_t t = 0; t < expected.size(); ++t)
    if (!expected[t].fits(got.get(expected[t].name))) missed.push_back(t);
  if (missed.empty()) return true;
  for (const Formula& formula : other_formulas()) {
    Expected other = expect(formula.name);
    std::erase_if(missed, [&](size_t t) {
      const bool right = other[t].fits(got.get(other[t].name));
      if (right) expected[t] = std::move(other[t]);
      return right;
    });
    if (missed.empty()) return true;
  }
  return false;
}

int64_t Oracle::take_decisions(const Tensors& got, Expected& expected) const {
  const auto misses = [&](const ExpectedTensor& want) {
    return want.dtype == DType::u8 && !want.fits(got.get(want.name));
  };
  if (std::none_of(expected.begin(), expected.end(), misses)) return 0;
  const Decided decided(got);
  Expected as_decided = expect();
  if (decided.asked()) expected = std::move(as_decided);
  return decided.taken();
}

}  // namespace assay
