// A module's text: what its entries reach, declared before it is defined.
#include "harness/ptx/translate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "harness/ptx/function_writer.h"
#include "harness/ptx/speculation.h"
#include "harness/ptx/types.h"

namespace assay::ptx {
namespace {

void collect(const std::vector<Operand>& operands, std::set<std::string>& names) {
  for (const Operand& operand : operands) {
    if (operand.kind == Operand::name) names.insert(operand.text);
    collect(operand.parts, names);
  }
}

Symbols symbols_of(const Module& module) {
  Symbols symbols;
  for (const Variable& variable : module.variables) symbols.variables[variable.name] = &variable;
  for (const Function& function : module.functions) symbols.functions[function.name] = &function;
  return symbols;
}

// By instructions and initialisers.
std::set<std::string> reached(const Symbols& symbols, std::vector<std::string> open) {
  std::set<std::string> all;
  while (!open.empty()) {
    const std::string name = open.back();
    open.pop_back();
    if (!all.insert(name).second) continue;
    std::set<std::string> names;
    if (const auto function = symbols.functions.find(name); function != symbols.functions.end())
      for (const Block& block : function->second->blocks)
        for (const Instruction& instruction : block.instructions) collect(instruction.operands, names);
    if (const auto variable = symbols.variables.find(name); variable != symbols.variables.end())
      for (const Initial& element : variable->second->initial) names.insert(element.symbol);
    for (const std::string& each : names)
      if (symbols.functions.contains(each) || symbols.variables.contains(each)) open.push_back(each);
  }
  return all;
}

// "alignas(4) static uint32_t table[2] = {1u, 2u};"
Result<std::string> definition_of(const Variable& variable, const TranslateOptions& options) {
  const std::string name = cpp_name(variable.name);
  const uint64_t bytes = bytes_of(variable.type) * variable.elements;
  if (variable.space == Space::shared)
    return variable.elements == 0 ? fmt::format("extern thread_local char {}[] asm(\"{}\");\n", name, variable.name)
                                  : fmt::format("alignas({}) static thread_local char {}[{}] asm(\"{}\");\n",
                                                variable.align, name, bytes, variable.name + options.suffix);
  if (variable.is_extern)
    return fail(
        fmt::format("{}:{}: the variable '{}' is in another file", options.path, variable.place.line, variable.name),
        "give the kernel's whole program, linked or in one file");
  const bool has_address =
      std::ranges::any_of(variable.initial, [](const Initial& element) { return !element.symbol.empty(); });
  if (has_address && bytes_of(variable.type) != 8)
    return fail(fmt::format("{}:{}: an address in '{}', whose elements are not of 64 bits", options.path,
                            variable.place.line, variable.name),
                "");
  std::vector<std::string> values;
  for (const Initial& element : variable.initial) {
    const uint64_t mask =
        bytes_of(variable.type) >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * bytes_of(variable.type))) - 1;
    if (!has_address)
      values.push_back(fmt::format("{:#x}u", element.bits & mask));
    else if (element.symbol.empty())
      values.push_back(fmt::format("reinterpret_cast<char*>({:#x}ul)", element.bits));
    else
      values.push_back(fmt::format("reinterpret_cast<char*>({}) + {}", cpp_name(element.symbol), element.bits));
  }
  // Bits, whatever the type; arrays of char where only addresses of bytes are needed, so that "name + 4" is in bytes.
  return fmt::format(
      "{5}alignas({0}) static {1} {2}_data[{3}] = {{{4}}};\nstatic char* const {2} = "
      "reinterpret_cast<char*>({2}_data);\n",
      variable.align,
      has_address                         ? "char*"
      : Variable{variable}.type == "b128" ? "unsigned __int128"
                                          : fmt::format("uint{}_t", 8 * bytes_of(variable.type)),
      name, std::max<uint64_t>(variable.elements, 1), fmt::join(values, ", "),
      variable.space == Space::constant ? "__constant__ " : "");
}

}  // namespace

bool is_users_file(const std::string& file) {
  const std::string path = std::filesystem::path(file).lexically_normal().string();
  return !path.starts_with("/usr/") && path.find("/targets/") == std::string::npos &&
         path.find("/nvidia/cu") == std::string::npos;
}

bool host_fuses() {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  return __builtin_cpu_supports("fma") != 0;
#else
  return false;
#endif
}

std::string cpp_name(const std::string& name) {
  std::string text = "n";
  for (const char c : name)
    text += c == '%' ? "_P" : c == '$' ? "_S" : c == '@' ? "_A" : c == '.' ? "_D" : std::string(1, c);
  return text;
}

std::set<std::string> reached(const Module& module, const std::vector<std::string>& names) {
  return reached(symbols_of(module), names);
}

Result<std::string> translate(const Module& module, const std::vector<std::string>& entries,
                              const TranslateOptions& options) {
  const Symbols symbols = symbols_of(module);
  for (const std::string& entry : entries) {
    const auto found = symbols.functions.find(entry);
    if (found == symbols.functions.end() || !found->second->is_entry)
      return fail(fmt::format("{}: there is no kernel '{}'", options.path, entry), "");
  }
  std::vector<std::string> wanted = entries;
  wanted.insert(wanted.end(), options.variables.begin(), options.variables.end());
  const std::set<std::string> needed = reached(symbols, wanted);
  // The option is for the kernels alone: the host code of their file keeps the flags of the build.
  const std::string begin = options.fuses ? "#pragma GCC push_options\n#pragma GCC target(\"fma\")\n" : "";
  const std::string end = options.fuses ? "#pragma GCC pop_options\n" : "";
  std::string text = "#include \"harness/simt/include/ptx/all.h\"\n" + begin + "namespace assay::ptx {\nnamespace {\n";
  for (const Function& function : module.functions)  // before the variables, which may hold their addresses
    if (needed.contains(function.name) && function.has_body)
      text += fmt::format("{} asm(\"{}\");\n", FunctionWriter::signature(function), function.name + options.suffix);
  for (const Variable& variable : module.variables) {
    if (!needed.contains(variable.name)) continue;
    auto definition = definition_of(variable, options);
    if (!definition) return definition;
    text += *definition;
  }
  std::string functions;
  for (const Function& function : module.functions) {
    if (!needed.contains(function.name) || !function.has_body) continue;
    const Function written_as = without_speculation(function);
    const auto written = FunctionWriter(module, symbols, written_as, options).text();
    if (!written) return written;
    functions += *written;
  }
  return text + functions + "}  // namespace\n}  // namespace assay::ptx\n" + end;
}

}  // namespace assay::ptx
