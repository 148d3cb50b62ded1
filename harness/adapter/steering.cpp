// Checking what an adapter fixes against the contract, and telling values from expressions.
#include "harness/adapter/steering.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/adapter/read/cuda_text.h"
#include "harness/adapter/unmentioned.h"
#include "harness/base/number.h"
#include "harness/op/launch_choice.h"
#include "harness/op/registry.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

using Texts = std::vector<std::string>;

template <class All>
auto find(All& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

bool contains(const Texts& all, const std::string& text) {
  return std::find(all.begin(), all.end(), text) != all.end();
}

std::optional<int64_t> whole(const std::string& text) { return number_in<int64_t>(text); }

Texts names_of(const Contract& contract) {
  Texts names;
  for (const DimSpec& dim : contract.dims) names.push_back(dim.name);
  for (const AttrSpec& attr : contract.attrs) names.push_back(attr.name);
  return names;
}

SteeringMistake unknown_name(const char* key, const std::string& name, const Contract& contract) {
  return {key, fmt::format("'{}' is no dim or attribute of {}", name, contract.name),
          suggestion(name, names_of(contract))};
}

std::optional<SteeringMistake> fix_mistake(const Fixed& fixed, const Contract& contract) {
  if (const DimSpec* dim = find(contract.dims, fixed.name)) {
    const auto value = whole(fixed.value);
    if (!value || admits(*dim, *value)) return std::nullopt;
    return SteeringMistake{"fix", fmt::format("{} = {} is outside its domain", dim->name, *value),
                           fmt::format("{} ({}) goes from {} to {}", dim->name, dim->meaning, dim->min, dim->max)};
  }
  const AttrSpec* attr = find(contract.attrs, fixed.name);
  if (!attr) return unknown_name("fix", fixed.name, contract);
  if (admits(*attr, fixed.value)) return std::nullopt;
  return SteeringMistake{"fix", fmt::format("{} is never '{}'", attr->name, fixed.value),
                         fmt::format("{} ({}) is {}", attr->name, attr->meaning, admitted_by(*attr))};
}

std::optional<SteeringMistake> range_mistake(const Domain& range, const Contract& contract) {
  const DimSpec* dim = find(contract.dims, range.name);
  const AttrSpec* attr = find(contract.attrs, range.name);
  if (!dim && !attr) return unknown_name("range", range.name, contract);
  if (attr && range.values.empty())
    return SteeringMistake{"range", fmt::format("{} has no least and largest value", attr->name),
                           fmt::format("list some of its values: [\"{}\"]", fmt::join(attr->choices, "\", \""))};
  for (const std::string& value : range.values)
    if (dim ? !whole(value) || !admits(*dim, *whole(value)) : !admits(*attr, value))
      return SteeringMistake{
          "range", fmt::format("{} is never '{}'", range.name, value),
          dim ? fmt::format("{} ({}) goes from {} to {}", dim->name, dim->meaning, dim->min, dim->max)
              : fmt::format("{} ({}) is {}", attr->name, attr->meaning, admitted_by(*attr))};
  if (range.values.empty() && (range.min > range.max || range.max < dim->min || range.min > dim->max))
    return SteeringMistake{"range", fmt::format("no {} lies from {} to {}", dim->name, range.min, range.max),
                           fmt::format("{} ({}) goes from {} to {}", dim->name, dim->meaning, dim->min, dim->max)};
  return std::nullopt;
}

std::optional<SteeringMistake> omits_mistake(const Adapter& adapter, const Contract& contract) {
  Texts written;
  for (const TensorSpec& tensor : contract.tensors)
    if (tensor.role != Role::input) written.push_back(tensor.name);
  for (const std::string& omitted : adapter.omits) {
    if (!contains(written, omitted))
      return SteeringMistake{"omits", fmt::format("'{}' is no output of {}", omitted, contract.name),
                             suggestion(omitted, written)};
    for (const AdapterLaunch& launch : adapter.launches)
      for (const std::string& arg : launch.args)
        for (const Token& token : tokens_of(arg))
          if (token.text == omitted)
            return SteeringMistake{"omits", fmt::format("{} is given the output '{}'", launch.entry, omitted),
                                   "an output that the kernel makes is judged: take it out of omits, or pass nullptr"};
  }
  const auto left_out = [&](const std::string& output) { return contains(adapter.omits, output); };
  if (!adapter.omits.empty() && std::all_of(written.begin(), written.end(), left_out))
    return SteeringMistake{"omits", "no output is left to judge", "leave one of them out of the list"};
  return std::nullopt;
}

std::optional<SteeringMistake> precision_mistake(const Adapter& adapter, const Contract& contract) {
  Texts known;
  for (const NamedRounding& rounding : contract.roundings) known.push_back(rounding.name);
  for (const std::string& rounded : adapter.rounds) {
    if (contains(known, rounded)) continue;
    std::string hint =
        known.empty() ? "leave rounds out: the op has no intermediate results that are rounded" : "known are";
    for (const NamedRounding& rounding : contract.roundings)
      hint +=
          fmt::format("{} {} ({})", &rounding == contract.roundings.data() ? "" : ",", rounding.name, rounding.states);
    return SteeringMistake{"rounds", fmt::format("{} knows no rounding '{}'", contract.name, rounded), hint};
  }
  if (operands_of(adapter.accumulate) && !contract.multiplies_matrices)
    return SteeringMistake{
        "accumulate",
        fmt::format("{} has no matrix product, and so none of {}", contract.name, name(adapter.accumulate)),
        "leave it out"};
  return std::nullopt;
}

std::optional<SteeringMistake> constant_mistake(const Constant& constant, const Contract& contract) {
  Texts inputs;
  for (const TensorSpec& tensor : contract.tensors)
    if (tensor.role == Role::input && !tensor.derive) inputs.push_back(tensor.name);
  if (contains(inputs, constant.tensor)) return std::nullopt;
  return SteeringMistake{"constant",
                         fmt::format("'{}' is no input of {} that cases fill", constant.tensor, contract.name),
                         suggestion(constant.tensor, inputs)};
}

// The kinds of data that are left by skip_fills and finite; nothing where all are.
std::optional<Texts> meant_fills(const Adapter& adapter, const Contract& contract) {
  if (adapter.skip_fills.empty() && !adapter.finite) return std::nullopt;
  Texts meant;
  for (const Fill& fill : fills())
    if (admits(contract, fill) && !contains(adapter.skip_fills, fill.name) &&
        !(adapter.finite && (fill.has_nan || fill.has_infinity)))
      meant.push_back(fill.name);
  return meant;
}

std::optional<SteeringMistake> fills_mistake(const Adapter& adapter, const Contract& contract) {
  Texts known;
  for (const Fill& fill : fills()) known.push_back(fill.name);
  for (const std::string& skipped : adapter.skip_fills)
    if (!contains(known, skipped))
      return SteeringMistake{"skip_fills", fmt::format("there is no fill '{}'", skipped),
                             suggestion(skipped, known) + " (`assay list fills`)"};
  if (const auto meant = meant_fills(adapter, contract); meant && meant->empty())
    return SteeringMistake{"skip_fills", "no fill is left to test with", "leave one of them out of the list"};
  return std::nullopt;
}

}  // namespace

std::optional<SteeringMistake> steering_mistake(const Adapter& adapter, const Contract& contract) {
  for (const Fixed& fixed : adapter.fixed)
    if (auto mistake = fix_mistake(fixed, contract)) return mistake;
  for (const Domain& range : adapter.ranges) {
    if (auto mistake = range_mistake(range, contract)) return mistake;
    if (find(adapter.fixed, range.name))
      return SteeringMistake{"range", fmt::format("{} is fixed", range.name), "give it in one of fix and range"};
  }
  for (const Constant& constant : adapter.constants)
    if (auto mistake = constant_mistake(constant, contract)) return mistake;
  if (adapter.mask_value && !contract.masks_scores)
    return SteeringMistake{"mask_value", fmt::format("{} masks no scores", contract.name), "leave it out"};
  if (auto mistake = precision_mistake(adapter, contract)) return mistake;
  if (auto mistake = fills_mistake(adapter, contract)) return mistake;
  return omits_mistake(adapter, contract);
}

AdapterWords words_in(const Texts& expressions) {
  AdapterWords words;
  for (const std::string& each : expressions)
    for (const Token& token : tokens_of(each))
      if (token.is_word()) words.emplace(token.text);
  return words;
}

AdapterWords words_of_launches(const Adapter& adapter) {
  AdapterWords words;
  for (const AdapterLaunch& launch : adapter.launches) {
    for (const Texts* texts : {&launch.args, &launch.grid, &launch.block}) words.merge(words_in(*texts));
    words.merge(words_in({launch.entry, launch.shared}));
  }
  return words;
}

AdapterWords words_of(const Adapter& adapter) {
  AdapterWords words = words_of_launches(adapter);
  words.merge(words_in(adapter.requirements));
  words.merge(words_in(adapter.in_place));
  for (const Fixed& fixed : adapter.fixed) words.merge(words_in({fixed.name, fixed.value}));
  words.merge(words_in({adapter.workspace}));
  return words;
}

std::vector<Domain> domains_of(const Adapter& adapter, const Contract& contract) {
  std::vector<Domain> domains = adapter.ranges;
  for (Domain& range : domains)
    if (const DimSpec* dim = find(contract.dims, range.name))
      range = {range.name, std::max(range.min, dim->min), std::min(range.max, dim->max), range.values};
  for (const Fixed& fixed : adapter.fixed)
    if (!find(contract.dims, fixed.name) || whole(fixed.value)) domains.push_back({fixed.name, 0, 0, {fixed.value}});
  for (const DimSpec& dim : contract.dims)  // a variant that does not name one takes it as it was before
    if (dim.before && !find(domains, dim.name)) domains.push_back({dim.name, dim.min, dim.max});
  for (const DimSpec* dim : unmentioned_dims(adapter, contract))
    *find(domains, dim->name) = {dim->name, 0, 0, {std::to_string(*dim->before)}};
  for (const AttrSpec* attr : unmentioned_attributes(adapter, contract))
    domains.push_back({attr->name, 0, 0, {attr->choices.front()}});
  for (const AttrSpec& attr : contract.attrs)
    if (attr.optional && !find(domains, attr.name)) domains.push_back({attr.name, 0, 0, attr.choices});
  if (const auto fills = meant_fills(adapter, contract)) domains.push_back({kFillDomain, 0, 0, *fills});
  return domains;
}

std::vector<Fixed> computed_fixes(const Adapter& adapter, const Contract& contract) {
  std::vector<Fixed> computed;
  for (const Fixed& fixed : adapter.fixed)
    if (find(contract.dims, fixed.name) && !whole(fixed.value)) computed.push_back(fixed);
  return computed;
}

}  // namespace assay
