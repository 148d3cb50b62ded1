// Compares a kernel's elements with those that are expected.
#include "harness/judge/expected.h"

#include <cmath>
#include <limits>

#include "harness/base/parallel.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Whether an honest kernel may have come to infinity. A value rounds to infinity from half a unit beyond the largest
// number on, and what a kernel computed before it rounded is off by the budget less its last part, half a unit
// (budget_of in oracle.cpp): the largest number itself, right to within that, is not infinity.
bool overflows(double value, double budget, DType dtype) {
  const double unit = ulp(dtype, max_finite(dtype));
  return value >= max_finite(dtype) + unit / 2 || value + budget >= max_finite(dtype) + unit;
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

std::vector<ElementRange> ExpectedTensor::known_ranges() const {
  std::vector<ElementRange> parts(static_cast<size_t>((count() + kPart - 1) / kPart));  // an empty one: unknown
  in_parts(count(), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      if (is_known(i)) {
        parts[static_cast<size_t>(begin / kPart)] = {begin, end};
        return;
      }
  });
  std::erase_if(parts, [](const ElementRange& part) { return part.begin == part.end; });
  return parts;
}

Comparison ExpectedTensor::compare(int64_t i, uint64_t got_bits) const {
  if (!is_known(i)) return {0, false};
  if (is_alternative(i, got_bits)) return {};
  const auto at = static_cast<size_t>(i);
  const double got = to_double(dtype, got_bits);
  const double right = value[at], allowed = budget[at];
  if (!bits.empty()) return {got_bits == bits[at] ? 0 : kInfinity, std::isfinite(got) != std::isfinite(right)};
  if (std::isnan(right)) return {std::isnan(got) ? 0 : kInfinity, !std::isnan(got)};
  if (std::isinf(right)) return {got == right ? 0 : kInfinity, got != right};
  if (std::isnan(got)) return {kInfinity, true};
  if (std::isinf(got)) {
    const bool fine = overflows(got > 0 ? right : -right, allowed, dtype);
    return {fine ? 0 : kInfinity, !fine};
  }
  const double error = std::fabs(got - right);
  if (error == 0) return {0, false};
  return {allowed > 0 ? error / allowed : kInfinity, false};
}

bool ExpectedTensor::fits(const Tensor& got) const {
  for (const auto& [begin, end] : known_ranges())
    for (int64_t i = begin; i < end; ++i)
      if (!(compare(i, got.bits(i)).error_over_budget <= 1)) return false;
  return true;
}

}  // namespace assay
