// Names first, for every case; then what flows from step to step, in one.
#include "harness/op/step_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "harness/op/composite.h"
#include "harness/op/contract_check.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

using Mistakes = std::vector<std::string>;

bool has(const auto& specs, const std::string& name) {
  return std::ranges::any_of(specs, [&](const auto& spec) { return spec.name == name; });
}

void binding_mistakes(const Step& step, const Contract& op, Mistakes& mistakes) {
  for (const Step::Binding& binding : step.tensors)
    if (!has(op.tensors, binding.of_step))
      mistakes.push_back(
          fmt::format("step '{}' binds '{}', and {} has no such tensor", step.name, binding.of_step, op.name));
  for (const Step::Binding& binding : step.params)
    if (!has(op.dims, binding.of_step) && !has(op.attrs, binding.of_step))
      mistakes.push_back(fmt::format("step '{}' binds '{}', and {} has no such dim or attribute", step.name,
                                     binding.of_step, op.name));
}

void value_mistakes(const Step& step, const Contract& op, const Case& c, Mistakes& mistakes) {
  const Case inner = case_of_step(step, c);
  for (const DimSpec& dim : op.dims)
    if (!inner.find(dim.name))
      mistakes.push_back(fmt::format("step '{}' gives {} no '{}': bind it in `params`", step.name, op.name, dim.name));
  for (const AttrSpec& attr : op.attrs)
    if (std::ranges::find(attr.choices, inner.text(attr.name)) == attr.choices.end())
      mistakes.push_back(fmt::format("step '{}' gives {} {}={}, which is none of its values", step.name, op.name,
                                     attr.name, inner.text(attr.name)));
}

// The facts about a tensor that a step relies on.
struct Layout {
  DType dtype;
  int64_t count;
  bool operator==(const Layout&) const = default;
};

Layout layout_of(const TensorSpec& spec, const Case& c) {
  int64_t count = 1;
  for (const int64_t extent : shape_of(spec, c)) count *= extent;
  return {dtype_of(spec, c), count};
}

std::string text_of(const Layout& layout) { return fmt::format("{} elements of {}", layout.count, name(layout.dtype)); }

using Layouts = std::map<std::string, Layout>;  // by the composite's names

// Checks the tensors that a step takes against those that are there, and adds those that it leaves.
void flow_mistakes(const Step& step, const Case& c, Layouts& there, std::set<std::string>& made, Mistakes& mistakes) {
  const Case inner = case_of_step(step, c);
  for (const TensorSpec& spec : find_op(step.op)->tensors) {
    if (spec.absent && spec.absent(inner)) continue;
    const std::string& name = name_in_whole(step, spec.name);
    const Layout layout = layout_of(spec, inner);
    const auto found = there.find(name);
    const bool is_taken = role_of(spec, inner) != Role::output && layout.count > 0;
    if (is_taken && found == there.end())
      mistakes.push_back(
          fmt::format("step '{}' takes '{}', which nothing has made, in '{}'", step.name, name, print(c)));
    else if (is_taken && found->second != layout)
      mistakes.push_back(fmt::format("step '{}' takes '{}' as {}, and it has {}, in '{}'", step.name, name,
                                     text_of(layout), text_of(found->second), print(c)));
    if (!is_written(role_of(spec, inner))) continue;
    there.insert_or_assign(name, layout);
    made.insert(name);
  }
}

}  // namespace

std::vector<std::string> step_mistakes(const Contract& contract, const Case& c) {
  Mistakes mistakes;
  std::set<std::string> seen;
  for (const Step& step : contract.steps) {
    if (!is_identifier(step.name))
      mistakes.push_back(fmt::format("step '{}' is not named by an identifier", step.name));
    if (!seen.insert(step.name).second) mistakes.push_back(fmt::format("two steps are named '{}'", step.name));
    const Contract* const op = find_op(step.op);
    if (!op) {
      mistakes.push_back(fmt::format("step '{}' is of the op '{}', which is not there", step.name, step.op));
      continue;
    }
    binding_mistakes(step, *op, mistakes);
    value_mistakes(step, *op, c, mistakes);
  }
  return mistakes;
}

std::vector<std::string> step_tensor_mistakes(const Contract& contract, const Case& c) {
  Mistakes mistakes;
  if (contract.steps.empty()) return mistakes;
  Layouts there;
  std::set<std::string> made;
  for (const TensorSpec& spec : contract.tensors)
    if (role_of(spec, c) != Role::output) there.emplace(spec.name, layout_of(spec, c));
  for (const Step* step : steps_of(contract.steps, c)) flow_mistakes(*step, c, there, made, mistakes);
  for (const TensorSpec& spec : contract.tensors) {
    if (!is_written(role_of(spec, c)) || (spec.absent && spec.absent(c))) continue;
    if (!made.contains(spec.name))
      mistakes.push_back(fmt::format("no step makes '{}' in '{}'", spec.name, print(c)));
    else if (there.at(spec.name) != layout_of(spec, c))
      mistakes.push_back(fmt::format("its steps make '{}' of {}, and it has {}, in '{}'", spec.name,
                                     text_of(there.at(spec.name)), text_of(layout_of(spec, c)), print(c)));
  }
  return mistakes;
}

}  // namespace assay
