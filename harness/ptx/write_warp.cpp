// Instructions that the lanes of a warp execute together.
#include <fmt/format.h>

#include <algorithm>

#include "harness/ptx/family.h"
#include "harness/ptx/forms.h"
#include "harness/ptx/types.h"

namespace assay::ptx {
namespace {

std::string shuffle(FunctionWriter& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  if (instruction.modifiers.size() != 3 || instruction.modifiers[0] != "sync" || operands.size() != 5 ||
      !has_word("up down bfly idx", instruction.modifiers[1]))
    return writer.refuse_instruction(instruction), "";
  const bool two = operands[0].kind == Operand::pair;
  std::string text = fmt::format("{{ const auto got = shfl<Shuffle::{}>({}, {}, {}, {}); ", instruction.modifiers[1],
                                 writer.value(operands[1], "b32"), writer.value(operands[2], "b32"),
                                 writer.value(operands[3], "b32"), writer.value(operands[4], "b32"));
  text += writer.assign(two ? operands[0].parts[0] : operands[0], "got.value", "b32");
  if (two) text += " " + writer.assign(operands[0].parts[1], "got.inside", "pred");
  return text + " }";
}

// ptxas takes vote.ballot.sync, too, as CUB writes it.
std::string vote(FunctionWriter& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const auto& modifiers = instruction.modifiers;
  const std::string mode = modifiers.size() != 3    ? ""
                           : modifiers[0] == "sync" ? modifiers[1]
                           : modifiers[1] == "sync" ? modifiers[0]
                                                    : "";
  if (operands.size() != 3 || !has_word("ballot all any uni", mode)) return writer.refuse_instruction(instruction), "";
  return writer.assign(operands[0], fmt::format("vote_{}({}, {})", mode, writer.value(operands[1], "pred"),
                                                writer.value(operands[2], "b32")));
}

std::string match(FunctionWriter& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  if (instruction.modifiers.size() != 3 || operands.size() != 3) return writer.refuse_instruction(instruction), "";
  const std::string type = instruction.modifiers[2];
  if (type != "b32" && type != "b64") return writer.refuse_instruction(instruction), "";
  const std::string a = writer.value(operands[1], type), mask = writer.value(operands[2], "b32");
  if (has(instruction, "any")) return writer.assign(operands[0], fmt::format("match_any({}, {})", a, mask));
  const bool two = operands[0].kind == Operand::pair;
  return fmt::format("{{ bool equal = false; const uint32_t lanes = match_all({}, {}, equal); {} {} }}", a, mask,
                     writer.assign(two ? operands[0].parts[0] : operands[0], "lanes"),
                     two ? writer.assign(operands[0].parts[1], "equal") : "");
}

std::string reduce(FunctionWriter& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  if (instruction.modifiers.size() != 3 || operands.size() != 3) return writer.refuse_instruction(instruction), "";
  const std::string &op = instruction.modifiers[1], &type = instruction.modifiers[2];
  if (!has_word("add min max and or xor", op) || !has_word("u32 s32 b32", type))
    return writer.refuse_instruction(instruction), "";
  return writer.assign(operands[0],
                       fmt::format("redux<Atomic::{}{}, {}>({}, {})", has_word("and or xor", op) ? "bit_" : "", op,
                                   *cpp_type(type), writer.value(operands[1], type), writer.value(operands[2], "b32")));
}

// elect.sync d|p, mask
std::string elect(FunctionWriter& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  if (operands.size() != 2 || operands[0].kind != Operand::pair) return writer.refuse_instruction(instruction), "";
  return fmt::format("{{ bool leads = false; const uint32_t leader = elect({}, leads); {} {} }}",
                     writer.value(operands[1], "b32"), writer.assign(operands[0].parts[0], "leader"),
                     writer.assign(operands[0].parts[1], "leads"));
}

}  // namespace

std::optional<std::string> write_warp(FunctionWriter& writer, const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  if (opcode == "shfl") return shuffle(writer, instruction);
  if (opcode == "vote") return vote(writer, instruction);
  if (opcode == "match") return match(writer, instruction);
  if (opcode == "redux") return reduce(writer, instruction);
  if (opcode == "activemask" && instruction.operands.size() == 1)
    return writer.assign(instruction.operands[0], "simt::converged_lanes()");
  if (opcode == "elect") return elect(writer, instruction);
  return std::nullopt;
}

}  // namespace assay::ptx
