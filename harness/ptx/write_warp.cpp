// What threads of a block or a warp do together.
#include <fmt/format.h>

#include <algorithm>

#include "harness/ptx/family.h"
#include "harness/ptx/forms.h"
#include "harness/ptx/types.h"

namespace assay::ptx {
namespace {

bool has(const Instruction& instruction, std::string_view modifier) {
  const auto& all = instruction.modifiers;
  return std::find(all.begin(), all.end(), modifier) != all.end();
}

// bar.sync 0, barrier.sync[.aligned] 0, bar.red.OP d, 0, p, bar.warp.sync mask
std::string barrier(FunctionWriter& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const auto is_zero = [&](size_t i) {
    return operands.size() > i && operands[i].kind == Operand::whole && operands[i].bits == 0;
  };
  if (has(instruction, "warp") && operands.size() == 1)
    return fmt::format("__syncwarp({});", writer.value(operands[0], "b32"));
  if (has(instruction, "sync") && operands.size() == 1) {
    if (is_zero(0)) return "__syncthreads();";
    return writer.refuse("a named barrier, of which the executor has number 0 only"), "";
  }
  if (has(instruction, "red") && operands.size() == 3 && is_zero(1)) {
    const std::string predicate = writer.value(operands[2], "pred");
    for (const auto& [op, name] : {std::pair{"popc", "count"}, {"and", "and"}, {"or", "or"}})
      if (has(instruction, op)) return writer.assign(operands[0], fmt::format("__syncthreads_{}({})", name, predicate));
  }
  if (operands.size() > 1 && has(instruction, "sync"))
    return writer.refuse("a barrier of some threads only, which the executor does not have"), "";
  return writer.refuse_instruction(instruction), "";
}

std::string shuffle(FunctionWriter& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  if (instruction.modifiers.size() != 3 || instruction.modifiers[0] != "sync" || operands.size() != 5 ||
      !has_word("up down bfly idx", instruction.modifiers[1]))
    return writer.refuse_instruction(instruction), "";
  const bool two = operands[0].kind == Operand::pair;
  std::string text =
      fmt::format("{{ bool inside = false; const uint32_t got = shfl<Shuffle::{}>({}, {}, {}, {}, inside); ",
                  instruction.modifiers[1], writer.value(operands[1], "b32"), writer.value(operands[2], "b32"),
                  writer.value(operands[3], "b32"), writer.value(operands[4], "b32"));
  text += writer.assign(two ? operands[0].parts[0] : operands[0], "got");
  if (two) text += " " + writer.assign(operands[0].parts[1], "inside");
  return text + " }";
}

std::string vote(FunctionWriter& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  if (instruction.modifiers.size() != 3 || operands.size() != 3 ||
      !has_word("ballot all any uni", instruction.modifiers[1]))
    return writer.refuse_instruction(instruction), "";
  return writer.assign(operands[0], fmt::format("vote_{}({}, {})", instruction.modifiers[1],
                                                writer.value(operands[1], "pred"), writer.value(operands[2], "b32")));
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

std::string load_matrices(FunctionWriter& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const size_t count = has(instruction, "x4") ? 4 : has(instruction, "x2") ? 2 : has(instruction, "x1") ? 1 : 0;
  if (count == 0 || !has(instruction, "m8n8") || !has(instruction, "b16") || operands.size() != 2 ||
      operands[0].parts.size() != count)
    return writer.refuse_instruction(instruction), "";
  const Space space = has(instruction, "shared") || has(instruction, "shared::cta") ? Space::shared : Space::generic;
  std::string text = fmt::format("{{ const auto rows = ldmatrix<{}, {}>({}); ", count, has(instruction, "trans"),
                                 writer.address(operands[1], space));
  for (size_t i = 0; i < count; ++i) text += writer.assign(operands[0].parts[i], fmt::format("rows.at[{}]", i)) + " ";
  return text + "}";
}

// mma.sync.aligned.m16n8kK.row.col.f32.T.T.f32 d, a, b, c
std::string multiply(FunctionWriter& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const std::string form = spelled(instruction);
  static constexpr std::pair<std::string_view, std::string_view> kForms[] = {
      {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "f16, 16"},
      {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", "bf16, 16"},
      {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", "f16, 8"},
      {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", "bf16, 8"},
      {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "float, 8"}};
  const auto found =
      std::find_if(std::begin(kForms), std::end(kForms), [&](const auto& each) { return each.first == form; });
  if (found == std::end(kForms) || operands.size() != 4) return writer.refuse_instruction(instruction), "";
  const auto parts = [&](const Operand& operand, const char* type) {
    std::string text;
    for (const Operand& part : operand.parts) text += (text.empty() ? "" : ", ") + writer.value(part, type);
    return text;
  };
  std::string text = fmt::format("{{ Mma m{{{{{}}}, {{{}}}, {{{}}}}}; mma<{}>(m); ", parts(operands[3], "f32"),
                                 parts(operands[1], "b32"), parts(operands[2], "b32"), found->second);
  for (size_t i = 0; i < operands[0].parts.size() && i < 4; ++i)
    text += writer.assign(operands[0].parts[i], fmt::format("m.d[{}]", i)) + " ";
  return text + "}";
}

}  // namespace

std::optional<std::string> write_warp(FunctionWriter& writer, const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  if (opcode == "bar" || opcode == "barrier") return barrier(writer, instruction);
  if (opcode == "shfl") return shuffle(writer, instruction);
  if (opcode == "vote") return vote(writer, instruction);
  if (opcode == "match") return match(writer, instruction);
  if (opcode == "redux") return reduce(writer, instruction);
  if (opcode == "activemask" && instruction.operands.size() == 1)
    return writer.assign(instruction.operands[0], "__activemask()");
  if (opcode == "ldmatrix") return load_matrices(writer, instruction);
  if (opcode == "mma") return multiply(writer, instruction);
  return std::nullopt;
}

}  // namespace assay::ptx
