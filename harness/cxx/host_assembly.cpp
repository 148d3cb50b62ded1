// Symbols of the host's assembly, and the description behind it (../program/runtime/source_image.h).
#include "harness/cxx/host_assembly.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <vector>

#include "harness/simt/build/finish/assembly.h"

namespace assay::cxx {
namespace {

using simt::finish::Assembly;
using simt::finish::Line;
using simt::finish::operands_of;

constexpr std::string_view kThisKernel = "assay_this_kernel";

// "coefficients" of _ZN4mineL12coefficientsE.
std::string last_name(std::string_view symbol) {
  int status = 0;
  char* const text = abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 ? text : std::string(symbol);
  std::free(text);
  const size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

// Puts the function in place of the name, and notes it.
void name_kernels(Assembly& assembly, std::set<std::string>& kernels) {
  for (Line& line : assembly.lines) {
    const size_t at = line.text.find(kThisKernel);
    if (at == std::string_view::npos) continue;
    if (line.is_directive()) {
      line.dropped = true;  // that it is hidden, which a local symbol is anyway
    } else if (!line.function.empty()) {
      kernels.emplace(line.function);
      assembly.replace(line, std::string(line.text.substr(0, at)) + std::string(line.function) +
                                 std::string(line.text.substr(at + kThisKernel.size())));
    }
  }
}

// The variables among the file's symbols, with their sizes.
std::map<std::string, std::string> sizes_of(const Assembly& assembly, const std::set<std::string>& variables) {
  std::map<std::string, std::string> sizes;
  for (const Line& line : assembly.lines) {
    if (line.operation != ".size" && line.operation != ".comm") continue;
    const auto operands = operands_of(line.operands);
    if (operands.size() < 2 || !simt::finish::number_in(operands[1])) continue;
    if (variables.contains(last_name(operands[0]))) sizes.emplace(operands[0], operands[1]);
  }
  return sizes;
}

}  // namespace

DescribedCode with_description(const HostCode& host) {
  Assembly assembly(host.assembly);
  std::set<std::string> kernels;
  name_kernels(assembly, kernels);
  const auto variables = sizes_of(assembly, host.variables);
  for (Line& line : assembly.lines)
    if (line.is_directive() && line.operands == "assay_program_description") line.dropped = true;
  std::string names = "\t.section\t.rodata.assay_program,\"a\"\n", table;
  size_t count = 0;
  const auto name_of = [&](const std::string& symbol) {
    names += fmt::format(".Lassay_name{}:\n\t.string\t\"{}\"\n", count, symbol);
    return fmt::format(".Lassay_name{}", count++);
  };
  for (const std::string& kernel : kernels) table += fmt::format("\t.quad\t{}, {}\n", kernel, name_of(kernel));
  table += "\t.quad\t0\n.Lassay_variables:\n";
  for (const auto& [variable, bytes] : variables)
    table += fmt::format("\t.quad\t{}, {}, {}\n", variable, name_of(variable), bytes);
  table += "\t.quad\t0\n";
  std::string text = assembly.print();
  text += names;
  text += ".Lassay_code:\n";
  if (!host.device_code.empty()) text += fmt::format("\t.incbin\t\"{}\"\n", host.device_code);
  text += fmt::format(
      ".Lassay_code_end:\n\t.section\t.data.rel.ro.assay_program,\"aw\"\n\t.balign\t8\n\t.hidden\t__dso_handle\n"
      "assay_program_description:\n\t.quad\t1, {}, .Lassay_code, .Lassay_code_end, __dso_handle, .Lassay_kernels, "
      ".Lassay_variables\n.Lassay_kernels:\n",
      (host.is_relocatable ? 1 : 0) + (host.tells_host ? 2 : 0));
  DescribedCode described{text + table, {}, kernels, {}};
  for (const auto& [variable, bytes] : variables) {
    described.variables.insert(variable);
    described.sizes.emplace(variable, std::stoull(bytes));
  }
  return described;
}

}  // namespace assay::cxx
