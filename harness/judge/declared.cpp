// From a variant's declarations to what the tracked scalar does.
#include "harness/judge/declared.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "harness/op/composite.h"
#include "harness/op/tracked.h"

namespace assay {

TrackedPrecision declared_precision(const Variant& variant, const Case& c) {
  // Half the distance of neighbouring elements of a dtype: around 1, and around 0.
  const auto unit_of = [](DType dtype) { return std::ldexp(1.0, -significand_bits(dtype)); };
  const auto smallest_of = [](DType dtype) { return ulp(dtype, 0) / 2; };
  const bool ftz = variant.ftz || !is_deterministic(variant, c);  // float atomics in global memory flush
  Precision precision{.rounds = variant.rounds,
                      .rounds_unit = unit_of(c.dtype),
                      .rounds_smallest = smallest_of(c.dtype),
                      .ftz = ftz,
                      .fast_math = variant.fast_math,
                      .mask_value = variant.mask_value};
  precision.operands = operands_of(variant.accumulate).value_or(OperandFormat{});
  for (const auto& [accumulate, dtype] : {std::pair(Accumulate::f16, DType::f16), {Accumulate::bf16, DType::bf16}}) {
    if (variant.accumulate != accumulate) continue;
    precision.unit = unit_of(dtype);
    precision.smallest = smallest_of(dtype);
    precision.largest = max_finite(dtype);
  }
  if (ftz) precision.smallest = std::max(precision.smallest, Tracked::kSmallestNormal);
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

bool is_omitted(const Variant& variant, std::string_view output) {
  return std::find(variant.omits.begin(), variant.omits.end(), output) != variant.omits.end();
}

void supply_omitted(const Variant& variant, const Expected& expected, Tensors& got) {
  for (const ExpectedTensor& right : expected)
    if (is_omitted(variant, right.name))
      for (int64_t i = 0; i < right.count(); ++i) got.get(right.name).set_bits(i, right.right_bits(i));
}

}  // namespace assay
