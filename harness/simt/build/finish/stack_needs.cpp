// The stack that one function takes by itself, and the sum along its calls.
#include "harness/simt/build/finish/stack_needs.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "harness/simt/build/finish/callee_needs.h"
#include "harness/simt/runtime/dense_stacks.h"

namespace assay::simt::finish {
namespace {

constexpr uint64_t kReturnAddressBytes = 8;

// Calls the kernel through a pointer, and that is counted apart (launch.h).
constexpr std::string_view kThreadEntry = "_ZN5assay4simt12thread_entryI";

bool is_stack_pointer(std::string_view operand) {
  return operand == "%rsp" || operand == "%esp" || operand == "%sp" || operand == "%spl";
}

// "…-16(%rsp)…": how far below the stack pointer an operand lies; only the switch keeps something there.
uint64_t below_stack_pointer(std::string_view operands) {
  const size_t base = operands.find("(%rsp)");
  if (base == std::string_view::npos) return 0;
  const size_t before = operands.find_last_not_of("0123456789", base == 0 ? 0 : base - 1);
  if (before == std::string_view::npos || operands[before] != '-') return 0;
  return number_in(operands.substr(before + 1, base - before - 1)).value_or(0);
}

struct Frame {
  uint64_t bytes = kReturnAddressBytes;
  uint64_t below = 0;
  bool understood = true;
};

class Reader {
 public:
  std::unordered_map<std::string_view, Frame> frames;

  void read(const Line& line) {
    if (line.operation == ".cfi_startproc") in_procedure_ = true;
    if (line.operation == ".cfi_endproc") in_procedure_ = false;
    if (line.function.empty()) return;
    Frame& frame = frames[line.function];
    if (line.is_directive()) {
      directive(line, frame);
    } else if (line.is_instruction()) {
      if (!in_procedure_) frame.understood = false;
      instruction(line, frame);
    }
    if (line.in_inline_assembly && (line.text.find(';') != std::string_view::npos || line.label.starts_with('.') ||
                                    (line.is_directive() && line.operation != ".long")))
      frame.understood = false;
  }

 private:
  static void directive(const Line& line, Frame& frame) {
    const auto parts = operands_of(line.operands);
    const auto grow = [&](std::string_view text) {
      const auto bytes = number_in(text);
      if (!bytes) frame.understood = false;
      frame.bytes = std::max(frame.bytes, bytes.value_or(0));
    };
    if (line.operation == ".cfi_def_cfa_offset") {
      grow(parts[0]);
    } else if (line.operation == ".cfi_def_cfa") {
      const bool from_stack_pointer = parts.size() == 2 && parts[0] == "7";
      if (from_stack_pointer)
        grow(parts[1]);
      else
        frame.understood = false;
    } else if (line.operation == ".cfi_def_cfa_register" || line.operation == ".cfi_adjust_cfa_offset" ||
               line.operation == ".cfi_escape") {
      frame.understood = false;
    }
  }

  static void instruction(const Line& line, Frame& frame) {
    const auto [operation, first] = instruction_of(line);
    const auto parts = operands_of(line.operands);
    frame.below = std::max(frame.below, below_stack_pointer(line.operands));
    const bool names_stack_pointer = std::any_of(parts.begin(), parts.end(), is_stack_pointer);
    if (operation.starts_with("leave") || operation.starts_with("enter") ||
        (operation.starts_with("xchg") && names_stack_pointer))
      frame.understood = false;
    if (line.in_inline_assembly &&
        (operation.starts_with("push") || operation.starts_with("pop") || operation.starts_with("ret")))
      frame.understood = false;
    if (!is_stack_pointer(parts.back())) return;
    // It is changed: by a constant, which the directives tell, or by the switch to another thread.
    const bool by_constant =
        (operation == "addq" || operation == "subq") && first.starts_with('$') && !line.in_inline_assembly;
    const bool by_switch =
        line.in_inline_assembly && operation == "mov" && first.starts_with("(%r") && first.ends_with(")");
    if (!by_constant && !by_switch && !operation.starts_with("push")) frame.understood = false;
  }

  bool in_procedure_ = false;
};

class Prover {
 public:
  Prover(const CallGraph& calls, std::unordered_map<std::string_view, Frame> frames)
      : calls_(calls), frames_(std::move(frames)) {
    for (const CalleeNeed& callee : kCalleeNeeds) of_callees_[callee.name] = callee.bytes;
  }

  // 0: no proof.
  uint64_t need(std::string_view name) {
    const auto [known, is_new] = proven_.emplace(name, 0);  // 0 while its callees are looked at: recursion has no proof
    if (!is_new) return known->second;
    const auto callees = calls_.find(name);
    if (callees == calls_.end()) {
      const auto listed = of_callees_.find(name);
      return proven_[name] = listed == of_callees_.end() ? 0 : listed->second;
    }
    const Frame& frame = frames_[name];
    if (!frame.understood) return 0;
    uint64_t most = frame.below;
    bool kernel_is_called = false;
    for (const std::string_view callee : callees->second) {
      if (callee.starts_with('*') && name.starts_with(kThreadEntry) && !std::exchange(kernel_is_called, true)) continue;
      const uint64_t bytes = need(callee);
      if (bytes == 0) return 0;
      most = std::max(most, bytes);
    }
    return proven_[name] = frame.bytes + most;
  }

 private:
  const CallGraph& calls_;
  std::unordered_map<std::string_view, Frame> frames_;
  Needs of_callees_, proven_;
};

// Functions that stay visible may be replaced by another library's.
std::unordered_set<std::string_view> replaceable(const Assembly& assembly) {
  std::unordered_set<std::string_view> names;
  for (const Line& line : assembly.lines)
    if (!line.dropped && (line.operation == ".globl" || line.operation == ".weak")) names.insert(line.operands);
  return names;
}

}  // namespace

Needs prove_stack_needs(Assembly& assembly, const CallGraph& calls) {
  Reader reader;
  for (const Line& line : assembly.lines) reader.read(line);
  for (const std::string_view name : replaceable(assembly)) reader.frames[name].understood = false;
  Prover prover(calls, std::move(reader.frames));
  Needs needs;
  for (const auto& [name, callees] : calls)
    if (const uint64_t bytes = prover.need(name); bytes != 0) needs[name] = bytes;
  for (Line& line : assembly.lines) {
    if (!line.text.ends_with("# far stacks")) continue;
    const auto need = needs.find(line.function);
    line.dropped = need != needs.end() && need->second <= DenseStacks::kBytesMax;
  }
  return needs;
}

}  // namespace assay::simt::finish
