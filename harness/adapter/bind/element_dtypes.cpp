// Following the types of tensors' parameters to element types.
#include "harness/adapter/bind/element_dtypes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <set>

#include "harness/adapter/read/cuda_text.h"
#include "harness/adapter/read/instances.h"

namespace assay {
namespace {

// Where a compiler has made instances, their element types are those that the file is written for. A template that is
// launched in float alone may read four of its elements as a float4.
void keep_instances(const KernelSource& kernel, const std::vector<Match>& matches, ElementDTypes& found) {
  std::vector<DType>& dtypes = found.possible;
  for (size_t i = 0; i < kernel.template_parameters.size(); ++i) {
    if (type_argument(kernel, matches, kernel.template_parameters[i].name) != "T") continue;
    std::set<DType> made;
    for (const std::string& type : compiled_arguments(kernel, i))
      if (const auto dtype = element_of_pointer(kernel, {type, ""}).dtype) made.insert(*dtype);
    // Where the op's other tensors have none of these types, the template is tried in theirs.
    const bool is_none = std::ranges::none_of(dtypes, [&](DType each) { return made.contains(each); });
    found.is_unmade |= is_none && dtypes.size() > 1;
    if (!is_none && std::erase_if(dtypes, [&](DType each) { return !made.contains(each); }) > 0)
      found.remarks.push_back(fmt::format(
          "Judged in {} alone, as the file makes {}.",
          fmt::join(dtypes | std::views::transform([](DType each) { return name(each); }), " and "), kernel.name));
  }
  for (const auto& arguments : kernel.specialisations)
    if (const auto dtype = element_of_pointer(kernel, {arguments[0], ""}).dtype; dtype && arguments.size() == 1) {
      std::erase(dtypes, *dtype);
      found.remarks.push_back(
          fmt::format("In {} it is a specialisation of its own, which is not judged.", name(*dtype)));
    }
}

// Elements that are passed as 16 bits: bf16 or f16, as the names of the file say.
void keep_halves(const CudaSource& source, const KernelSource& kernel, ElementDTypes& found) {
  const auto names = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words,
                               [&](std::string_view word) { return source.code.find(word) != std::string::npos; });
  };
  const bool bf16 = names({"bf16", "bfloat", "BF16"}), f16 = names({"half", "fp16", "f16(", "f16_"}) && !bf16;
  std::erase_if(found.possible, [&](DType each) {
    return each == DType::f32 || (bf16 && each == DType::f16) || (f16 && each == DType::bf16);
  });
  if (bf16 == f16)
    found.guesses.push_back(fmt::format("the 16 bits of {}'s elements are bf16 and f16 alike", kernel.name));
}

// Types that say nothing of their elements, as void and uint4: a compiled launch shows that they are the op's, and
// cases show which.
void open_dtype(const CudaSource& source, const KernelSource& kernel, const std::set<std::string>& types,
                ElementDTypes& found) {
  const std::string what = fmt::format("{}", fmt::join(types, ", "));
  // A launcher knows its elements' type, whatever its own pointers say.
  found.is_open = !kernel.uses.empty() && std::ranges::any_of(source.kernels, [&](const KernelSource& each) {
    return each.name == kernel.name;
  });
  if (found.is_open)
    found.guesses.push_back(fmt::format("{} holds elements of the case's dtype", what));
  else
    found.unknown.push_back(
        fmt::format("the element type of {}: what is '{}'? `dtypes` must say for which it stands", kernel.name, what));
}

// A template for half that takes float4 moves eight halves at once.
std::optional<DType> half_among(const KernelSource& kernel, const std::vector<std::string>& template_arguments) {
  for (const std::string& type : template_arguments)
    if (const auto dtype = element_of_pointer(kernel, {type, ""}).dtype; dtype == DType::f16 || dtype == DType::bf16)
      return dtype;
  return std::nullopt;
}

}  // namespace

std::string type_argument(const KernelSource& kernel, const std::vector<Match>& matches, const std::string& name) {
  for (size_t i = 0; i < matches.size(); ++i)
    if (kernel.parameters[i].type == name && matches[i].binding) {
      const TensorSpec* tensor = matches[i].binding->spec;
      if (tensor && tensor->dtype == DType::f32) return "float";
      if (tensor && tensor->dtype == DType::u32) return "int";
      if (tensor && !tensor->dtype) return "T";
      if (!tensor) return matches[i].binding->kind == Binding::dim ? "int64_t" : "float";
    }
  return "";
}

ElementDTypes element_dtypes(const CudaSource& source, const KernelSource& kernel, const std::vector<Match>& matches,
                             const Contract& contract, std::vector<DType> dtypes,
                             const std::vector<std::string>& template_arguments) {
  ElementDTypes found{std::move(dtypes)};
  std::set<std::string> unclear;
  bool is_known = false;
  for (size_t i = 0; i < matches.size(); ++i) {
    const Parameter& parameter = kernel.parameters[i];
    const TensorSpec* tensor = matches[i].binding ? matches[i].binding->spec : nullptr;
    if (tensor && (parameter.type == "double" || is_of_ints(parameter, *matches[i].binding)))  // a copy of f32
      std::erase_if(found.possible, [](DType each) { return each != DType::f32; });
    if (!tensor || tensor->dtype || tensor->dtype_by || matches[i].binding->converted) continue;
    auto [kind, dtype] = element_of_pointer(kernel, parameter);
    if (is_one_of(parameter.type, {"float2", "float4"}))
      dtype = half_among(kernel, template_arguments).value_or(*dtype);
    if (kind == ElementKind::bits) {
      keep_halves(source, kernel, found);
      continue;
    }
    is_known = is_known || dtype || kind == ElementKind::template_parameter;
    if (dtype)
      std::erase_if(found.possible, [&](DType each) { return each != *dtype; });
    else if (kind != ElementKind::template_parameter)
      unclear.insert(parameter.type);
  }
  keep_instances(kernel, matches, found);
  if (!unclear.empty() && !is_known) open_dtype(source, kernel, unclear, found);
  if (found.possible.empty())
    found.unknown.push_back(fmt::format("the element types of {}: its tensors are of several, where {} has one",
                                        kernel.name, contract.name));
  return found;
}

}  // namespace assay
