// Which kernels share variables or launch each other, and the table behind their text.
#include "harness/program/kernel_group.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "harness/base/printable.h"
#include "harness/ptx/translate.h"

namespace assay {
namespace {

using Names = std::set<std::string>;

// The variables that keep something from one launch to the next, or that the host may write.
Names kept_variables(const ptx::Module& module, const Names& registered) {
  Names names;
  for (const ptx::Variable& variable : module.variables)
    if ((variable.space == ptx::Space::global || variable.space == ptx::Space::constant) &&
        (variable.initial.empty() || registered.contains(variable.name)))
      names.insert(variable.name);
  return names;
}

Names common(const Names& one, const Names& other) {
  Names both;
  std::ranges::set_intersection(one, other, std::inserter(both, both.end()));
  return both;
}

bool names(const std::vector<ptx::Operand>& operands, std::string_view begin) {
  return std::ranges::any_of(operands, [&](const ptx::Operand& operand) {
    return operand.text.starts_with(begin) || names(operand.parts, begin);
  });
}

// Whether a kernel does what shows outside of its memory, or depends on the time.
bool is_observed(const ptx::Module& module, const std::string& kernel) {
  const Names needed = ptx::reached(module, {kernel});
  return std::ranges::any_of(module.functions, [&](const ptx::Function& function) {
    if (!needed.contains(function.name)) return false;
    if (function.name == "vprintf" || function.name == "malloc" || function.name == "free") return true;
    if (function.name.starts_with("__cudaCDP2")) return true;  // it launches kernels
    if (function.name == "cudaGraphSetConditional") return true;
    return std::ranges::any_of(function.blocks, [](const ptx::Block& block) {
      return std::ranges::any_of(block.instructions, [](const ptx::Instruction& instruction) {
        return names(instruction.operands, "%clock") || names(instruction.operands, "%globaltimer");
      });
    });
  });
}

}  // namespace

Result<KernelGroup> group_of(const ptx::Module& module, const std::string& name, const Names& registered) {
  const Names kept = kept_variables(module, registered);
  std::map<std::string, Names> by_kernel;  // the variables that each reaches
  for (const ptx::Function& function : module.functions)
    if (function.is_entry && function.has_body)
      by_kernel[function.name] = common(ptx::reached(module, {function.name}), kept);
  KernelGroup group{};
  if (by_kernel.contains(name)) {
    group.kernels.insert(name);
    group.variables = by_kernel[name];
  } else if (kept.contains(name)) {
    group.variables = common(ptx::reached(module, {name}), kept);
  } else {
    return fail(fmt::format("the program's PTX has no '{}'", name), "was it built for other GPUs without this kernel?");
  }
  for (bool grows = true; grows;) {
    grows = false;
    const Names launched = ptx::reached(module, {group.kernels.begin(), group.kernels.end()});
    for (const auto& [kernel, variables] : by_kernel) {
      if (group.kernels.contains(kernel)) continue;
      if (!launched.contains(kernel) && common(variables, group.variables).empty()) continue;
      group.kernels.insert(kernel);
      group.variables.insert(variables.begin(), variables.end());
      grows = true;
    }
  }
  return group;
}

Result<std::string> text_of(const ptx::Module& module, const KernelGroup& group, const std::string& path, bool counts) {
  const std::vector<std::string> kernels(group.kernels.begin(), group.kernels.end());
  auto text = ptx::translate(
      module, kernels, {.path = path, .is_own = ptx::is_users_file, .variables = group.variables, .counts = counts});
  if (!text) return text;
  std::string table = "#include \"harness/simt/include/ptx/program.h\"\nnamespace {\n";
  table += "const assay::simt::ProgramKernel assay_kernels[] = {\n";
  for (const std::string& kernel : kernels)
    table += fmt::format("    assay::simt::program_kernel<&assay::ptx::{}>({}, {}),\n", ptx::cpp_name(kernel),
                         cpp_literal(kernel), is_observed(module, kernel));
  table += "    {}};\nconst assay::simt::ProgramVariable assay_variables[] = {\n";
  const Names needed = ptx::reached(module, kernels);
  for (const ptx::Variable& variable : module.variables)
    if (group.variables.contains(variable.name) ||
        (needed.contains(variable.name) && variable.space == ptx::Space::global))
      table +=
          fmt::format("    {{{}, assay::ptx::{}, {}, {}}},\n", cpp_literal(variable.name), ptx::cpp_name(variable.name),
                      ptx::bytes_of(variable.type) * variable.elements, group.variables.contains(variable.name));
  table +=
      "    {}};\n"
      "[[maybe_unused]] const bool assay_lists = (assay::ptx::program_kernels = assay_kernels, true);\n"
      "}  // namespace\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) const assay::simt::ProgramModule assay_program_module{"
      "assay_kernels, assay_variables};\n";
  return "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n" + *text + table;
}

}  // namespace assay
