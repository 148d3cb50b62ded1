// The base is as long as can be: the more rows differ, the fewer wrong rows are right by chance.
#include "harness/op/huge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "harness/tensor/virtual_tensor.h"

namespace assay {
namespace {

// Odd, so that what lies a power of two apart differs.
constexpr int64_t kPeriods[] = {4093, 1021, 251, 61, 31, 13, 7};
constexpr int64_t kBaseElements = 1 << 17;      // of all tensors of a base together
constexpr int64_t kBaseElementsMost = 1 << 21;  // where rows are long
constexpr double kBaseFlops = 2e8;

Case shortened(const Contract& contract, Case c, int64_t period) {
  for (const std::string& dim : contract.repeats_along) c.set(dim, std::to_string(std::min(period, c.dim(dim))));
  return c;
}

Tensors repeated(const Contract& contract, const Case& c, const Tensors& base) {
  Tensors all;
  for (size_t t = 0; t < base.size(); ++t) {
    const TensorSpec& spec = contract.tensors[t];
    Tensor& tensor = all.emplace_back(base[t].name(), base[t].dtype(), base[t].role(), shape_of(spec, c));
    if (base[t].absent()) tensor.set_absent();
    tensor.set_regions(regions_of(spec, c));
    for (int64_t i = 0; i < tensor.count(); ++i)
      tensor.set_bits(i, base[t].bits(repeated_element(tensor.shape(), base[t].shape(), i)));
  }
  return all;
}

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

int64_t largest_tensor(const Contract& contract, const Case& c) {
  int64_t largest = 0;
  for (const TensorSpec& spec : contract.tensors) {
    int64_t count = 1;
    for (const int64_t extent : shape_of(spec, c))
      if (__builtin_mul_overflow(count, extent, &count)) return kElementsMax;
    largest = std::max(largest, count);
  }
  return largest;
}

Result<Case> base_of(const Contract& contract, const Case& c) {
  if (contract.repeats_along.empty())
    return fail(fmt::format("not sampled: the contract of {} names no dim along which it repeats", contract.name),
                "take fewer than 2^28 elements, or state repeats_along in the contract");
  if (!aliases_of(c).empty()) return fail("not sampled: two tensors share a buffer", "take alias=none");
  for (const int64_t period : kPeriods) {
    Case base = shortened(contract, c, period);
    if (contract.constraint && contract.constraint(base)) continue;
    const bool is_shortest = period == kPeriods[std::size(kPeriods) - 1];
    if (element_count(contract, base) > (is_shortest ? kBaseElementsMost : kBaseElements)) continue;
    if (contract.flops && contract.flops(base) > kBaseFlops) continue;
    return base;
  }
  return fail(fmt::format("not sampled: no small case is like '{}'", print(c)),
              fmt::format("take smaller dims, except {}", fmt::join(contract.repeats_along, ", ")));
}

std::optional<std::string> why_not_repeated(const Contract& contract, const Case& base, const Tensors& given) {
  const ReferenceInFull in_full;
  Case twice = base;
  for (const std::string& dim : contract.repeats_along) twice.set(dim, std::to_string(2 * base.dim(dim)));
  if (contract.constraint)
    if (const auto error = contract.constraint(twice)) return "twice as long it is no case: " + error->what;
  const auto once = contract.reference.value(base, given);
  const auto results = contract.reference.value(twice, repeated(contract, twice, given));
  for (size_t t = 0; t < results.size(); ++t) {
    const RefTensor<double>&all = results[t], &part = once[t];
    if (all.shape == part.shape) continue;  // a sum over what repeats, say
    for (int64_t i = 0; i < std::ssize(all.values); ++i)
      if (!is_same(all[i], part[repeated_element(all.shape, part.shape, i)]))
        return fmt::format("{}{} of '{}' is not what it repeats", all.name, index_text(all.shape, i), print(twice));
  }
  return std::nullopt;
}

}  // namespace assay
