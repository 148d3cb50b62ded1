// Properties of ops that keep the foremost elements of every row and replace the others by one value, in place.
#pragma once

#include <cmath>

#include "harness/op/contract.h"
#include "kernels/properties/agreement.h"

namespace assay::properties {

// Whether element i is what it was, to the bit.
inline bool is_kept(const Tensor& given, const Tensor& got, int64_t i) { return given.bits(i) == got.bits(i); }

// Every element keeps its bits or becomes `masked`.
inline Property keeps_bits_or_masks(std::string tensor, double masked) {
  const auto broken = [=](const PropertyRun& run) -> std::optional<std::string> {
    const Tensor &given = run.given.get(tensor), &got = run.got.get(tensor);
    for (int64_t i = 0; i < got.count(); ++i)
      if (!is_kept(given, got, i) && got.bits(i) != from_double(got.dtype(), masked))
        return fmt::format("{}{} goes from {:.9g} (bits {:#x}) to {:.9g} (bits {:#x})", tensor,
                           index_text(got.shape(), i), given.at(i), given.bits(i), got.at(i), got.bits(i));
    return std::nullopt;
  };
  return {.name = "keeps_bits_or_masks",
          .states = fmt::format("every element keeps its bits or becomes {}", masked),
          .broken = broken};
}

// Elements that are kept are kept in case `wider` too, which keeps more.
inline std::optional<std::string> lost_in(const PropertyRun& run, const Case& wider, const std::string& tensor) {
  const Result<Tensors> again = run.run(wider, run.given);
  if (!again) return again.error().line();
  const Tensor &given = run.given.get(tensor), &got = run.got.get(tensor), &more = again->get(tensor);
  for (int64_t i = 0; i < got.count(); ++i)
    if (is_kept(given, got, i) && !is_kept(given, more, i))
      return fmt::format("{}{} = {:.9g} is masked then", tensor, index_text(got.shape(), i), given.at(i));
  return std::nullopt;
}

// A fact about masks of minus infinity, which nothing is said of for a kernel that masks by a number.
inline Property where_masks_are_infinite(Property property) {
  property.broken = [broken = std::move(property.broken)](const PropertyRun& run) {
    return std::isfinite(Tracked::mask_value) ? std::nullopt : broken(run);
  };
  return property;
}

// Masking the result once more, for the same case, changes nothing.
inline Property is_idempotent(std::string tensor) {
  const auto broken = [=](const PropertyRun& run) -> std::optional<std::string> {
    const Result<Tensors> again = run.run(run.c, run.got);
    if (!again) return again.error().line();
    return first_disagreement(run, *again, {tensor});
  };
  return {.name = "is_idempotent", .states = "masking the result again changes nothing", .broken = broken};
}

}  // namespace assay::properties
