// Branches, calls and ends.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "harness/ptx/family.h"
#include "harness/ptx/forms.h"

namespace assay::ptx {
namespace {

// Functions that compilers call and never define (harness/simt/include/ptx/system.h), and those of CUDA's library for
// kernels that launch kernels (child_launches.h) or decide on a graph (graph_conditions.h).
constexpr std::array<std::string_view, 15> kProvided{"vprintf",
                                                     "__assertfail",
                                                     "malloc",
                                                     "free",
                                                     "__cudaCDP2GetParameterBufferV2",
                                                     "__cudaCDP2LaunchDeviceV2",
                                                     "__cudaCDP2StreamCreateWithFlags",
                                                     "__cudaCDP2StreamDestroy",
                                                     "__cudaCDP2MemcpyAsync",
                                                     "__cudaCDP2Malloc",
                                                     "__cudaCDP2Free",
                                                     "__cudaCDP2GetErrorString",
                                                     "__cudaCDP2GetLastError",
                                                     "__cudaCDP2PeekAtLastError",
                                                     "cudaGraphSetConditional"};

std::string label_of(FunctionWriter& writer, const std::string& name) {
  if (!writer.block(name)) writer.refuse("'" + name + "' is no label of this function");
  return cpp_name(name);
}

std::string branch(FunctionWriter& writer, const Instruction& instruction) {
  if (instruction.operands.size() != 1) return writer.refuse_instruction(instruction), "";
  return fmt::format("goto {};", label_of(writer, instruction.operands[0].text));
}

// brx.idx index, list: a label with .branchtargets
std::string branch_by_index(FunctionWriter& writer, const Instruction& instruction) {
  const Block* list = instruction.operands.size() == 2 ? writer.block(instruction.operands[1].text) : nullptr;
  if (!list || list->targets.empty()) return writer.refuse_instruction(instruction), "";
  std::string text = fmt::format("switch ({}) {{ ", writer.value(instruction.operands[0], "u32"));
  for (size_t i = 0; i < list->targets.size(); ++i)
    text += fmt::format("case {}: goto {}; ", i, label_of(writer, list->targets[i]));
  return text + "default: __builtin_unreachable(); }";
}

// call[.uni] [(results),] function[, (arguments)]
std::string call(FunctionWriter& writer, const Instruction& instruction) {
  std::vector<std::string> arguments;
  const Function* called = nullptr;
  const Operand* pointer = nullptr;
  std::string name;
  for (const Operand& operand : instruction.operands) {
    if (operand.kind == Operand::name && name.empty()) {
      name = operand.text;
      if (const auto found = writer.symbols().functions.find(name); found != writer.symbols().functions.end())
        called = found->second;
      else if (!writer.register_type_of(operand).empty())
        pointer = &operand;
    }
    for (const Operand& part : operand.kind == Operand::list ? operand.parts : std::vector<Operand>{}) {
      const auto bytes = writer.parameter(part);
      if (!bytes) return writer.refuse("arguments in registers"), "";
      arguments.push_back(*bytes);
    }
  }
  if (pointer != nullptr) {  // as virtual functions are called: every parameter is the address of its bytes
    const std::string types = fmt::format("{}", fmt::join(std::vector<std::string>(arguments.size(), "char*"), ", "));
    return fmt::format("reinterpret_cast<void (*)({})>({})({});", types, writer.value(*pointer, "b64"),
                       fmt::join(arguments, ", "));
  }
  if (!called) return writer.refuse("a call of '" + name + "', which the PTX does not declare"), "";
  const bool is_provided = std::ranges::find(kProvided, name) != kProvided.end();
  if (!called->has_body && !is_provided)
    return writer.refuse("the function '" + name + "', which the PTX does not have"), "";
  if (arguments.size() != called->results.size() + called->parameters.size())
    return writer.refuse("another number of arguments than '" + name + "' has"), "";
  std::string function = cpp_name(name);
  if (!called->has_body) function = "call_" + name.substr(std::min(name.find_first_not_of('_'), name.size()));
  return fmt::format("{}({});", function, fmt::join(arguments, ", "));
}

}  // namespace

std::optional<std::string> write_control(FunctionWriter& writer, const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  if (opcode == "bra") return branch(writer, instruction);
  if (opcode == "brx") return branch_by_index(writer, instruction);
  if (opcode == "call") return call(writer, instruction);
  // A call in front of it must not become a jump: operations of warps are known by their return address (apart.h).
  if (opcode == "ret" || (opcode == "exit" && writer.function().is_entry)) return "asm volatile(\"\"); return;";
  if (opcode == "trap") return "__trap();";
  static constexpr std::string_view kNoEffect = "pmevent prefetch prefetchu griddepcontrol discard applypriority";
  if (has_word(kNoEffect, opcode)) return ";";
  if (opcode == "nanosleep" && instruction.operands.size() == 1)
    return fmt::format("__nanosleep({});", writer.value(instruction.operands[0], "u32"));
  return std::nullopt;
}

}  // namespace assay::ptx
