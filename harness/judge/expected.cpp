// Runs the reference with the tracked scalar and turns what it tracked into budgets.
#include "harness/judge/expected.h"
#include "harness/base/running.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/base/fresh_memory.h"
#include "harness/base/parallel.h"
#include "harness/op/decided.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Whether an honest kernel may have come to infinity. A value rounds to infinity from half a unit beyond the largest
// number on, and what a kernel computed before it rounded is off by the budget less its last part, half a unit (see
// budget_of): the largest number itself, right to within that, is not infinity.
bool overflows(double value, double budget, DType dtype) {
  const double unit = ulp(dtype, max_finite(dtype));
  return value >= max_finite(dtype) + unit / 2 || value + budget >= max_finite(dtype) + unit;
}

double budget_of(const Tracked& element, DType dtype, bool exact) {
  if (std::isinf(element.e)) return kInfinity;
  if (exact || !std::isfinite(element.v)) return 0;
  const double spread = kBudgetFactor * element.spread();
  if (spread == 0 && to_double(dtype, from_double(dtype, element.v)) == element.v) return 0;  // nothing is rounded
  return spread + ulp(dtype, std::fabs(element.v) + spread) / 2;
}

// The reference's results as what is expected of the written tensors.
Expected with_budgets(const Contract& contract, const Case& c, const Tensors& given,
                      const std::vector<RefTensor<Tracked>>& results, std::string_view formula) {
  const bool computes_exactly = contract.linear && find_fill(c.fill)->exact;
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

uint64_t ExpectedTensor::right_bits(int64_t i) const {
  const auto at = static_cast<size_t>(i);
  return bits.empty() ? from_double(dtype, value[at]) : bits[at];
}

bool ExpectedTensor::is_alternative(int64_t i, uint64_t got_bits) const {
  const auto other = alternatives.find(i);
  return other != alternatives.end() && other->second == got_bits;
}

TrackedPrecision declared_precision(const Variant& variant, const Case& c) {
  // Half the distance of neighbouring elements of a dtype: around 1, and around 0.
  const auto unit_of = [](DType dtype) { return std::ldexp(1.0, -significand_bits(dtype)); };
  const auto smallest_of = [](DType dtype) { return ulp(dtype, 0) / 2; };
  Precision precision{.rounds = variant.rounds,
                      .rounds_unit = unit_of(c.dtype),
                      .rounds_smallest = smallest_of(c.dtype),
                      .ftz = variant.ftz,
                      .fast_math = variant.fast_math,
                      .mask_value = variant.mask_value};
  if (variant.accumulate == Accumulate::tf32) precision.operand_unit = 0x1p-11;
  for (const auto& [accumulate, dtype] : {std::pair(Accumulate::f16, DType::f16), {Accumulate::bf16, DType::bf16}}) {
    if (variant.accumulate != accumulate) continue;
    precision.unit = unit_of(dtype);
    precision.smallest = smallest_of(dtype);
    precision.largest = max_finite(dtype);
  }
  if (variant.ftz) precision.smallest = std::max(precision.smallest, Tracked::kSmallestNormal);
  return TrackedPrecision(std::move(precision));
}

std::string declarations_of(const Variant& variant) {
  std::vector<std::string> texts;
  if (!variant.rounds.empty()) texts.push_back(fmt::format("rounds = [\"{}\"]", fmt::join(variant.rounds, "\", \"")));
  if (variant.accumulate != Accumulate::f32)
    texts.push_back(fmt::format("accumulate = \"{}\"", name(variant.accumulate)));
  if (variant.ftz) texts.push_back("ftz = true");
  if (variant.fast_math) texts.push_back("fast_math = true");
  if (std::isfinite(variant.mask_value)) texts.push_back(fmt::format("mask_value = {:g}", variant.mask_value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

Expected expect(const Contract& contract, const Variant& variant, const Case& c, const Tensors& given,
                std::string_view formula) {
  if (!variant.steps.empty()) return expect_steps(contract, variant, c, given, {});
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

Expected expect_steps(const Contract& contract, const Variant& whole, const Case& c, const Tensors& given,
                      const StepFormulas& formulas) {
  return with_budgets(contract, c, given,
                      run_references<Tracked>(contract.steps, c, given, as_declared(whole, c, formulas)), "");
}

std::vector<ElementRange> known_ranges(const ExpectedTensor& want) {
  std::vector<ElementRange> parts(static_cast<size_t>((want.count() + kPart - 1) / kPart));  // an empty one: unknown
  in_parts(want.count(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      if (want.is_known(i)) {
        parts[static_cast<size_t>(begin / kPart)] = {begin, end};
        return;
      }
  });
  std::erase_if(parts, [](const ElementRange& part) { return part.begin == part.end; });
  return parts;
}

bool fits(const ExpectedTensor& want, const Tensor& got) {
  for (const auto& [begin, end] : known_ranges(want))
    for (int64_t i = begin; i < end; ++i)
      if (!(compare(want, i, got.bits(i)).error_over_budget <= 1)) return false;
  return true;
}

std::vector<Formula> other_formulas(const Contract& contract, const Case& c) {
  std::vector<Formula> formulas;
  for (const Formula& formula : contract.formulas)
    if (!formula.applies || formula.applies(c)) formulas.push_back(formula);
  return formulas;
}

bool take_fitting_formulas(const Contract& contract, const Variant& variant, const Case& c, const Tensors& given,
                           const Tensors& got, Expected& expected) {
  std::vector<size_t> missed;
  for (size_t t = 0; t < expected.size(); ++t)
    if (!fits(expected[t], got.get(expected[t].name))) missed.push_back(t);
  if (missed.empty()) return true;
  for (const Formula& formula : other_formulas(contract, c)) {
    Expected other = expect(contract, variant, c, given, formula.name);
    std::erase_if(missed, [&](size_t t) {
      const bool right = fits(other[t], got.get(other[t].name));
      if (right) expected[t] = std::move(other[t]);
      return right;
    });
    if (missed.empty()) return true;
  }
  return false;
}

int64_t take_decisions(const Contract& contract, const Variant& variant, const Case& c, const Tensors& given,
                       const Tensors& got, Expected& expected) {
  const auto misses = [&](const ExpectedTensor& want) {
    return want.dtype == DType::u8 && !fits(want, got.get(want.name));
  };
  if (std::none_of(expected.begin(), expected.end(), misses)) return 0;
  const Decided decided(got);
  Expected as_decided = expect(contract, variant, c, given);
  if (decided.asked()) expected = std::move(as_decided);
  return decided.taken();
}

bool is_omitted(const Variant& variant, std::string_view output) {
  return std::find(variant.omits.begin(), variant.omits.end(), output) != variant.omits.end();
}

void supply_omitted(const Variant& variant, const Expected& expected, Tensors& got) {
  for (const ExpectedTensor& right : expected)
    if (is_omitted(variant, right.name))
      for (int64_t i = 0; i < right.count(); ++i) got.get(right.name).set_bits(i, right.right_bits(i));
}

Comparison compare(const ExpectedTensor& want, int64_t i, uint64_t got_bits) {
  if (!want.is_known(i)) return {0, false};
  if (want.is_alternative(i, got_bits)) return {};
  const auto at = static_cast<size_t>(i);
  const double got = to_double(want.dtype, got_bits);
  const double value = want.value[at], budget = want.budget[at];
  if (!want.bits.empty())
    return {got_bits == want.bits[at] ? 0 : kInfinity, std::isfinite(got) != std::isfinite(value)};
  if (std::isnan(value)) return {std::isnan(got) ? 0 : kInfinity, !std::isnan(got)};
  if (std::isinf(value)) return {got == value ? 0 : kInfinity, got != value};
  if (std::isnan(got)) return {kInfinity, true};
  if (std::isinf(got)) {
    const bool right = overflows(got > 0 ? value : -value, budget, want.dtype);
    return {right ? 0 : kInfinity, !right};
  }
  const double error = std::fabs(got - value);
  if (error == 0) return {0, false};
  return {budget > 0 ? error / budget : kInfinity, false};
}

}  // namespace assay
