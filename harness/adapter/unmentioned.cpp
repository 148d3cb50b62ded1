// Finds the attributes that a kernel sees without an argument, by shapes and by the data of one small case.
#include "harness/adapter/unmentioned.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "harness/adapter/bind/probe.h"
#include "harness/adapter/steering.h"
#include "harness/op/changed_values.h"

namespace assay {
namespace {

template <class Named>
bool has(const std::vector<Named>& all, const std::string& name) {
  return std::any_of(all.begin(), all.end(), [&](const Named& each) { return each.name == name; });
}

// Whether a tensor has another shape, not counting choices that leave it out, or is added to by some choices only.
bool changes_shape(const Contract& contract, const TensorSpec& tensor, const AttrSpec& attr) {
  std::vector<Extents> there = extents_by(contract, tensor, attr);
  std::erase_if(there, [](const Extents& each) { return each.is_empty(); });
  const std::vector<Role> roles = roles_by(contract, tensor, attr);
  return std::any_of(there.begin(), there.end(), [&](const Extents& each) { return !(each == there.front()); }) ||
         std::any_of(roles.begin(), roles.end(), [&](Role role) { return role != roles.front(); });
}

// Whether some choices leave a tensor out, or fill it with other numbers than the first does.
bool shows_choice(const Contract& contract, const TensorSpec& tensor, const AttrSpec& attr) {
  const std::vector<Extents> all = extents_by(contract, tensor, attr);
  return std::any_of(all.begin(), all.end(), [&](const Extents& e) { return e.is_empty() != all[0].is_empty(); }) ||
         changes_data(contract, attr, tensor.name);
}

bool is_seen(const AdapterWords& words, const Contract& contract, const AttrSpec& attr) {
  if (!attr.of_input.empty()) return words.contains(attr.of_input);
  if (attr.optional || attr.name == kAliasAttr) return false;
  bool shown = false;
  for (const TensorSpec& tensor : contract.tensors) {
    if (!words.contains(tensor.name)) continue;
    if (changes_shape(contract, tensor, attr)) return false;
    shown = shown || shows_choice(contract, tensor, attr);
  }
  return shown && !changes_values(contract, attr);
}

}  // namespace

bool names_attribute(const Adapter& adapter, const Contract& contract, const AttrSpec& attr) {
  Adapter steered = adapter;
  if (has(contract.tensors, attr.name)) steered.launches.clear();
  return has(adapter.ranges, attr.name) || words_of(steered).contains(attr.name);
}

std::vector<const AttrSpec*> unmentioned_attributes(const Adapter& adapter, const Contract& contract) {
  std::vector<const AttrSpec*> all;
  const AdapterWords words = words_of(adapter);
  for (const AttrSpec& attr : contract.attrs)
    if (attr.choices.size() > 1 && !names_attribute(adapter, contract, attr) && !is_seen(words, contract, attr))
      all.push_back(&attr);
  return all;
}

std::vector<const DimSpec*> unmentioned_dims(const Adapter& adapter, const Contract& contract) {
  std::vector<const DimSpec*> all;
  const AdapterWords words = words_of(adapter);
  for (const DimSpec& dim : contract.dims)
    if (dim.before && !has(adapter.ranges, dim.name) && !words.contains(dim.name)) all.push_back(&dim);
  return all;
}

std::vector<UntoldDim> untold_dims(const Adapter& adapter, const Contract& contract) {
  const AdapterWords words = words_of(adapter);
  std::string strides = "*";
  for (const TensorSpec& tensor : contract.tensors) {
    if (!words.contains(tensor.name)) continue;
    const ShapeText shape = tensor.shape_by ? tensor.shape_by(probe(contract)) : tensor.shape;
    for (size_t axis = 1; axis < shape.size(); ++axis) strides += shape[axis] + "*";
  }
  std::vector<UntoldDim> untold;
  std::string named;
  for (const DimSpec& dim : contract.dims)
    if (words.contains(dim.name) || has(adapter.ranges, dim.name))
      named = dim.name;
    else if (strides.find("*" + dim.name + "*") != std::string::npos && dim.only.empty())
      untold.push_back({&dim, named});
  return untold;
}

std::string unmentioned_sentence(const Adapter& adapter, const Contract& contract) {
  std::vector<std::string> parts;
  for (const DimSpec* dim : unmentioned_dims(adapter, contract))
    parts.push_back(fmt::format("{} = {}", dim->name, *dim->before));
  for (const AttrSpec* attr : unmentioned_attributes(adapter, contract))
    parts.push_back(fmt::format("{} = {}", attr->name, attr->choices.front()));
  if (parts.empty()) return "";
  return fmt::format("Not swept, because the call does not name {}: {}.", parts.size() == 1 ? "it" : "them",
                     fmt::join(parts, ", "));
}

}  // namespace assay
