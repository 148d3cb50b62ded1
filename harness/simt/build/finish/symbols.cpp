// Dropping the directives that make definitions global, and groups of sections.
#include "harness/simt/build/finish/symbols.h"

#include <unordered_set>

namespace assay::simt::finish {
namespace {

struct Symbols {
  std::unordered_set<std::string_view> defined, global, weak, hidden;

  // `main` is visible whatever the compiler was told, and so are the address sanitizer's marks.
  bool exports(std::string_view name) const {
    return global.contains(name) && !weak.contains(name) && !hidden.contains(name) && name != "main" &&
           !name.starts_with("__odr_asan");
  }
};

Symbols read(const Assembly& assembly) {
  Symbols symbols;
  for (const Line& line : assembly.lines) {
    if (!line.label.empty()) symbols.defined.insert(line.label);
    const auto names = operands_of(line.operands);
    if (line.operation == ".globl" || line.operation == ".global") symbols.global.insert(names.begin(), names.end());
    if (line.operation == ".weak") symbols.weak.insert(names.begin(), names.end());
    if (line.operation == ".hidden" || line.operation == ".internal") symbols.hidden.insert(names.begin(), names.end());
    if (line.operation == ".set" || line.operation == ".comm") symbols.defined.insert(names[0]);
  }
  return symbols;
}

// `.section .text.f,"axG",@progbits,f,comdat` -> `.section .text.f,"ax",@progbits`
std::string without_group(const Line& line) {
  auto parts = operands_of(line.operands);
  parts.resize(parts.size() - 2);
  std::string text = "\t" + std::string(line.operation) + "\t";
  for (size_t i = 0; i < parts.size(); ++i) {
    std::string part(parts[i]);
    if (i == 1) part.erase(part.find('G'), 1);
    text += (i == 0 ? "" : ",") + part;
  }
  return text;
}

}  // namespace

bool states_visibility(std::string_view directive) {
  return directive == ".globl" || directive == ".global" || directive == ".weak" || directive == ".hidden" ||
         directive == ".internal" || directive == ".protected";
}

void make_symbols_local(Assembly& assembly) {
  const Symbols symbols = read(assembly);
  for (Line& line : assembly.lines) {
    if (states_visibility(line.operation)) {
      line.dropped = symbols.defined.contains(line.operands) && !symbols.exports(line.operands);
    } else if (line.operation == ".section" && line.operands.ends_with(",comdat")) {
      assembly.replace(line, without_group(line));
    } else if (line.operation == ".type" && line.operands.ends_with("gnu_unique_object")) {
      assembly.replace(line, "\t.type\t" + std::string(operands_of(line.operands)[0]) + ", %object");
    }
  }
}

}  // namespace assay::simt::finish
