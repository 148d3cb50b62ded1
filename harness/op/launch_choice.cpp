// Comparing a case's choices with what its variant declares.
#include "harness/op/launch_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace assay {
namespace {

constexpr int kUsualBlockMax = 256;

const Domain* domain_of(const Variant& variant, std::string_view name) {
  const auto found = std::ranges::find(variant.domains, name, &Domain::name);
  return found == variant.domains.end() ? nullptr : &*found;
}

bool lists(const Domain& domain, const std::string& value) {
  return std::ranges::find(domain.values, value) != domain.values.end();
}

std::optional<std::string> refused_block(const Variant& variant, const Case& c) {
  if (c.block && variant.blocks.empty()) return variant.name + " fixes its own block size; leave out block=";
  if (variant.blocks.empty() || std::ranges::find(variant.blocks, c.block.value_or(0)) != variant.blocks.end())
    return std::nullopt;
  return fmt::format("{} needs block= to be one of {}", variant.name, fmt::join(variant.blocks, ", "));
}

std::optional<std::string> refused_attribute(const Contract& contract, const Variant& variant, const Case& c) {
  for (const AttrSpec& attr : contract.attrs) {
    const std::string* value = c.find(attr.name);
    const std::vector<std::string> taken = choices_taken(attr, variant);
    if (value && std::ranges::find(taken, *value) == taken.end())
      return fmt::format("{} takes {} = {} only", variant.name, attr.name, fmt::join(taken, " or "));
  }
  for (const DimSpec& dim : contract.dims)
    if (c.find(dim.name) && takes_only_before(dim, variant) && c.dim(dim.name) != *dim.before)
      return fmt::format("{} takes {} = {} only", variant.name, dim.name, *dim.before);
  if (!takes_fill(variant, c.fill))
    return fmt::format("{} is not meant for fill={}, as its scope says", variant.name, c.fill);
  return std::nullopt;
}

}  // namespace

std::vector<std::string> choices_taken(const AttrSpec& attr, const Variant& variant) {
  const Domain* domain = domain_of(variant, attr.name);
  if (!domain) return attr.optional ? std::vector{attr.choices.front()} : attr.choices;
  std::vector<std::string> taken = attr.choices;
  std::erase_if(taken, [&](const std::string& choice) { return !lists(*domain, choice); });
  for (const std::string& value : domain->values)
    if (std::ranges::find(attr.choices, value) == attr.choices.end() && admits(attr, value)) taken.push_back(value);
  return taken;
}

bool takes_only_before(const DimSpec& dim, const Variant& variant) {
  return dim.before && !domain_of(variant, dim.name);
}

bool takes_fill(const Variant& variant, const std::string& fill) {
  const Domain* domain = domain_of(variant, kFillDomain);
  return !domain || lists(*domain, fill);
}

std::vector<int> usual_blocks(const Variant& variant) {
  std::vector<int> blocks = variant.blocks;
  std::ranges::sort(blocks);
  const auto larger = std::ranges::upper_bound(blocks, kUsualBlockMax);
  std::reverse(blocks.begin(), larger);
  return blocks;
}

std::optional<std::string> refused_choice(const Contract& contract, const Variant& variant, const Case& c) {
  if (auto why = refused_block(variant, c)) return why;
  if (auto why = refused_attribute(contract, variant, c)) return why;
  if (c.grid && !variant.any_grid) return variant.name + " computes its own grid; leave out grid=";
  const auto aligned = static_cast<size_t>(variant.aligned);
  for (const TensorSpec& spec : contract.tensors)
    if (const size_t bytes = offset_bytes(spec, c); bytes % aligned != 0)
      return fmt::format(
          "{} needs tensors that begin at multiples of {} bytes, and {} begins {} after one; leave out "
          "offset=",
          variant.name, aligned, spec.name, bytes);
  return std::nullopt;
}

}  // namespace assay
