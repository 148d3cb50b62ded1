// Runs the reference with the tracked scalar and turns what it tracked into budgets.
#include "harness/judge/expected.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/tensor/fill.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// From here on a value rounds to infinity in the dtype.
double overflow_threshold(DType dtype) { return max_finite(dtype) + ulp(dtype, max_finite(dtype)) / 2; }

double budget_of(const Tracked& element, DType dtype, bool exact) {
  if (std::isinf(element.e)) return kInfinity;
  if (exact || !std::isfinite(element.v)) return 0;
  const double spread = kBudgetFactor * element.spread();
  return spread + ulp(dtype, std::fabs(element.v) + spread) / 2;
}

}  // namespace

uint32_t ExpectedTensor::right_bits(int64_t i) const {
  const auto at = static_cast<size_t>(i);
  return bits.empty() ? from_double(dtype, value[at]) : bits[at];
}

bool ExpectedTensor::is_alternative(int64_t i, uint32_t got_bits) const {
  const auto other = alternatives.find(i);
  return other != alternatives.end() && other->second == got_bits;
}

TrackedPrecision declared_precision(const Variant& variant, const Case& c) {
  // Half the distance of neighbouring elements of the case's dtype: around 1, and around 0.
  const double operand_unit = variant.rounds_operands ? std::ldexp(1.0, -significand_bits(c.dtype)) : 0;
  const double operand_smallest = variant.rounds_operands ? ulp(c.dtype, 0) / 2 : 0;
  return TrackedPrecision(variant.accumulate_unit, operand_unit, operand_smallest, variant.mask_value);
}

Expected expect(const Contract& contract, const Variant& variant, const Case& c, const Tensors& given) {
  const TrackedPrecision precision = declared_precision(variant, c);
  const bool exact = contract.linear && find_fill(c.fill)->exact;
  Expected expected;
  for (const RefTensor<Tracked>& result : contract.reference.tracked(c, given)) {
    ExpectedTensor tensor{result.name, given.get(result.name).dtype(), result.shape, {}, {}, {}};
    for (const Tracked& element : result.values) {
      tensor.value.push_back(exact ? to_double(tensor.dtype, from_double(tensor.dtype, element.v)) : element.v);
      tensor.budget.push_back(budget_of(element, tensor.dtype, exact));
    }
    for (const auto& [i, other] : result.alternatives)
      if (const uint32_t bits = from_double(tensor.dtype, other.v); bits != tensor.right_bits(i))
        tensor.alternatives.emplace(i, bits);
    expected.push_back(std::move(tensor));
  }
  if (contract.reference.bits) {
    size_t next = 0;
    for (const RefTensor<Bits>& result : contract.reference.bits(c, given)) {
      for (const Bits& element : result.values) expected[next].bits.push_back(element.bits);
      ++next;
    }
  }
  return expected;
}

bool is_omitted(const Variant& variant, std::string_view output) {
  return std::find(variant.omits.begin(), variant.omits.end(), output) != variant.omits.end();
}

void supply_omitted(const Variant& variant, const Expected& expected, Tensors& got) {
  for (const ExpectedTensor& right : expected)
    if (is_omitted(variant, right.name))
      for (int64_t i = 0; i < right.count(); ++i) got.get(right.name).set_bits(i, right.right_bits(i));
}

Comparison compare(const ExpectedTensor& want, int64_t i, uint32_t got_bits) {
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
    const bool may_overflow = std::fabs(value) + budget >= overflow_threshold(want.dtype);
    const bool right = may_overflow && std::signbit(got) == std::signbit(value);
    return {right ? 0 : kInfinity, !right};
  }
  const double error = std::fabs(got - value);
  if (error == 0) return {0, false};
  return {budget > 0 ? error / budget : kInfinity, false};
}

}  // namespace assay
