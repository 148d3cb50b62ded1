// Joining entries to kernels by name and number of parameters.
#include "harness/adapter/build/ptx_route/signatures.h"

#include <algorithm>
#include <set>

#include "harness/adapter/build/ptx_route/entries.h"
#include "harness/adapter/read/instances.h"
#include "harness/base/scanner.h"

namespace assay {
namespace {

// "128" of "128u", "&square<float>" of "&(float square<float>(float))"
std::string plain_argument(std::string argument) {
  if (argument.starts_with("&(") && argument.ends_with(")"))
    return "&" + without_parameters(argument.substr(2, argument.size() - 3));
  if (!argument.empty() && is_digit(argument[0]))
    while (argument.ends_with('u') || argument.ends_with('l')) argument.pop_back();
  return argument;
}

void add_names(const ptx::Operand& operand, std::set<std::string>& names) {
  if (!operand.text.empty()) names.insert(operand.text);
  for (const ptx::Operand& part : operand.parts) add_names(part, names);
}

// nvcc declares an array in its kernel, or outside where functions share it.
uint64_t shared_bytes(const ptx::Module& module, const ptx::Function& entry) {
  std::set<std::string> names;
  for (const ptx::Block& block : entry.blocks)
    for (const ptx::Instruction& instruction : block.instructions)
      for (const ptx::Operand& operand : instruction.operands) add_names(operand, names);
  uint64_t bytes = 0;
  const auto add = [&](const ptx::Variable& variable) {
    if (variable.space == ptx::Space::shared && !variable.is_extern)
      bytes += ptx::bytes_of(variable.type) * variable.elements;
  };
  for (const ptx::Variable& variable : entry.variables) add(variable);
  for (const ptx::Variable& variable : module.variables)
    if (names.contains(variable.name)) add(variable);
  return bytes;
}

}  // namespace

Parameter parameter_of_type(std::string type) {
  Parameter parameter;
  const auto drop = [&](const std::string& end) {
    const bool has = type.ends_with(end);
    if (has) type.erase(type.size() - end.size());
    return has;
  };
  drop(" __restrict");
  parameter.is_pointer = drop("*") || drop("_2a");  // Numba's names have no room for a star
  parameter.is_const = drop(" const");
  parameter.type = type == "float32" ? "float" : type == "float64" ? "double" : type;
  return parameter;
}

void take_instances(const ptx::Module& module, CudaSource& source) {
  for (const ptx::Function& entry : module.functions) {
    if (!entry.is_entry || !entry.has_body) continue;
    const std::string name = spelled_in_its_file(entry.name);
    std::vector<KernelSource*> same;
    for (KernelSource& kernel : source.kernels)
      if (kernel.qualified_name == name.substr(0, name.find('<')) &&
          kernel.parameters.size() == entry.parameters.size())
        same.push_back(&kernel);
    if (same.size() != 1) continue;
    std::vector<std::string> arguments = template_arguments_of(name);
    std::transform(arguments.begin(), arguments.end(), arguments.begin(), plain_argument);
    KernelInstance instance{std::move(arguments), entry.threads_max, shared_bytes(module, entry)};
    if (instance.arguments.size() == same[0]->template_parameters.size())  // no pack, and none without a name
      same[0]->instances.push_back(std::move(instance));
  }
}

}  // namespace assay
