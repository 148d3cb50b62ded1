// Joining entries to kernels by name and number of parameters.
#include "harness/adapter/build/ptx_route/signatures.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "harness/adapter/build/ptx_route/entries.h"
#include "harness/adapter/read/cuda_text.h"
#include "harness/base/scanner.h"

namespace assay {
namespace {

// The usual spelling of a type of a fixed size, for what mangled names make of it on a machine of 64 bits.
std::string usual_spelling(const std::string& type) {
  static constexpr std::array<std::pair<const char*, const char*>, 4> kSpellings{{
      {"unsigned long", "uint64_t"},
      {"long", "int64_t"},
      {"unsigned short", "uint16_t"},
      {"signed char", "int8_t"},
  }};
  for (const auto& [plain, usual] : kSpellings)
    if (type == plain) return usual;
  return type;
}

// A usual spelling as mangled names have it.
std::string plain_spelling(std::string type) {
  static constexpr std::array<std::pair<const char*, const char*>, 20> kSpellings{{
      {"size_t", "unsigned long"},
      {"uint64_t", "unsigned long"},
      {"int64_t", "long"},
      {"ptrdiff_t", "long"},
      {"long int", "long"},
      {"unsigned long int", "unsigned long"},
      {"unsigned", "unsigned int"},
      {"uint", "unsigned int"},
      {"uint32_t", "unsigned int"},
      {"int32_t", "int"},
      {"uint16_t", "unsigned short"},
      {"int16_t", "short"},
      {"uint8_t", "unsigned char"},
      {"int8_t", "signed char"},
      {"half", "__half"},
      {"half2", "__half2"},
      {"nv_bfloat16", "__nv_bfloat16"},
      {"nv_bfloat162", "__nv_bfloat162"},
      {"long long int", "long long"},
      {"unsigned long long int", "unsigned long long"},
  }};
  if (type.starts_with("std::")) type.erase(0, 5);
  for (const auto& [usual, plain] : kSpellings)
    if (type == usual) return plain;
  return type;
}

bool depends_on_template(const std::string& type, const KernelSource& kernel) {
  const std::vector<Token> tokens = tokens_of(type);
  return std::any_of(tokens.begin(), tokens.end(),
                     [&](const Token& token) { return is_template_parameter(kernel, token.text); });
}

// "128" of "128u", "&square<float>" of "&(float square<float>(float))"
std::string plain_argument(std::string argument) {
  if (argument.starts_with("&(") && argument.ends_with(")"))
    return "&" + without_parameters(argument.substr(2, argument.size() - 3));
  if (!argument.empty() && is_digit(argument[0]))
    while (argument.ends_with('u') || argument.ends_with('l')) argument.pop_back();
  return argument;
}

// "float", "128" of "mine::softmax<float, 128u>"
std::vector<std::string> template_arguments(const std::string& spelled_name) {
  const std::vector<Token> tokens = tokens_of(spelled_name);
  const auto open = std::find_if(tokens.begin(), tokens.end(), [](const Token& t) { return t.text == "<"; });
  std::vector<std::string> arguments;
  if (open == tokens.end() || tokens.back().text != ">") return arguments;
  const auto begin = static_cast<size_t>(open - tokens.begin()) + 1;
  for (const auto& part : split_at_commas(tokens, begin, tokens.size() - 1))
    arguments.push_back(plain_argument(spelled(part)));
  return arguments;
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

void take_types(const std::vector<std::string>& types, KernelSource& kernel) {
  for (size_t i = 0; i < types.size(); ++i) {
    Parameter& parameter = kernel.parameters[i];
    // A texture is an unsigned number to the compiler, and yet no count of anything.
    if (depends_on_template(parameter.type, kernel) || parameter.type.starts_with("cuda")) continue;
    const Parameter compiled = parameter_of_type(types[i]);
    parameter.is_pointer = compiled.is_pointer;
    parameter.is_const = compiled.is_const;
    if (plain_spelling(parameter.type) != compiled.type) parameter.type = usual_spelling(compiled.type);
  }
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

void take_signatures(const ptx::Module& module, CudaSource& source) {
  for (const ptx::Function& entry : module.functions) {
    if (!entry.is_entry || !entry.has_body) continue;
    const std::string name = spelled_in_its_file(entry.name);
    std::vector<KernelSource*> same;
    for (KernelSource& kernel : source.kernels)
      if (kernel.qualified_name == name.substr(0, name.find('<')) &&
          kernel.parameters.size() == entry.parameters.size())
        same.push_back(&kernel);
    if (same.size() != 1) continue;
    const std::vector<std::string> types = parameter_types(demangled(entry.name));
    if (types.size() == entry.parameters.size()) take_types(types, *same[0]);
    KernelInstance instance{template_arguments(name), entry.threads_max, shared_bytes(module, entry)};
    if (instance.arguments.size() == same[0]->template_parameters.size())  // no pack, and none without a name
      same[0]->instances.push_back(std::move(instance));
  }
}

}  // namespace assay
