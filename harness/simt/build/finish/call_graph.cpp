// Reading calls, and jumps that leave a function.
#include "harness/simt/build/finish/call_graph.h"

#include <algorithm>
#include <array>

namespace assay::simt::finish {
namespace {

constexpr std::array<std::string_view, 9> kPrefixes = {"lock",  "rep",     "repe", "repz",  "repne",
                                                       "repnz", "notrack", "bnd",  "data16"};

// The target of a return under function_return("thunk-extern").
constexpr std::string_view kReturn = "__x86_return_thunk";

// "1f", "2b": labels of inline assembly.
bool is_numbered_label(std::string_view target) {
  return target.size() > 1 && (target.back() == 'f' || target.back() == 'b') &&
         target.find_first_not_of("0123456789") == target.size() - 1;
}

// `*8(%r15)`: the switch to another thread.
bool is_switch(std::string_view target) { return target.starts_with("*8(%r") && target.ends_with(")"); }

// "*f@GOTPCREL(%rip)", "f@PLT" -> "f"
std::string_view name_of(std::string_view target) {
  if (target.starts_with('*') && target.ends_with("@GOTPCREL(%rip)"))
    return target.substr(1, target.size() - 1 - std::string_view("@GOTPCREL(%rip)").size());
  if (target.ends_with("@PLT")) target.remove_suffix(4);
  return target;
}

bool leaves(const Line& line, const Instruction& instruction) {
  if (instruction.operand == kReturn) return false;
  if (instruction.operation.starts_with("call")) return true;
  if (!instruction.operation.starts_with('j') || instruction.operand.starts_with(".L")) return false;
  return !(line.in_inline_assembly && (is_numbered_label(instruction.operand) || is_switch(instruction.operand)));
}

}  // namespace

Instruction instruction_of(const Line& line) {
  std::string_view operation = line.operation, rest = line.operands;
  while (std::find(kPrefixes.begin(), kPrefixes.end(), operation) != kPrefixes.end()) {
    const size_t end = std::min(rest.find_first_of(" \t"), rest.size());
    operation = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t", end), rest.size()));
  }
  return {operation, rest.empty() ? "" : operands_of(rest)[0]};
}

CallGraph read_calls(const Assembly& assembly) {
  CallGraph graph;
  for (const Line& line : assembly.lines) {
    if (line.function.empty()) continue;
    auto& callees = graph[line.function];
    if (!line.is_instruction()) continue;
    const Instruction instruction = instruction_of(line);
    if (!leaves(line, instruction)) continue;
    // The function that a thread begins with calls the kernel through a pointer, which is counted apart.
    const std::string_view name = name_of(instruction.operand);
    const bool through_pointer = name.starts_with('*');
    const bool is_new = std::find(callees.begin(), callees.end(), name) == callees.end();
    if (through_pointer || is_new) callees.push_back(name);
  }
  return graph;
}

}  // namespace assay::simt::finish
