// Video instructions, of which there is the one that sums of absolute differences need.
#include <fmt/format.h>

#include "harness/ptx/family.h"
#include "harness/ptx/forms.h"

namespace assay::ptx {
namespace {

// vabsdiff4.TYPE.TYPE.TYPE[.add] d, a, b, c, without masks and selectors
std::string distance(FunctionWriter& writer, const Instruction& instruction) {
  const auto& modifiers = instruction.modifiers;
  const auto& operands = instruction.operands;
  const bool adds = modifiers.size() == 4 && modifiers[3] == "add";
  bool is_known = operands.size() == 4 && (modifiers.size() == 3 || adds);
  for (size_t i = 0; is_known && i < 3; ++i) is_known = has_word("u32 s32", modifiers[i]);
  for (const Operand& each : operands)  // "%r1.b0" selects a byte of a register
    is_known = is_known && (each.kind != Operand::name || each.text.find('.') == std::string::npos);
  if (!is_known) return writer.refuse_instruction(instruction), "";
  const auto bytes = [&](size_t i) { return modifiers[i] == "s32" ? "int8_t" : "uint8_t"; };
  return writer.assign(
      operands[0],
      fmt::format("vabsdiff4<{}, {}, {}>({}, {}, {})", bytes(1), bytes(2), adds, writer.value(operands[1], "b32"),
                  writer.value(operands[2], "b32"), writer.value(operands[3], "b32")),
      "b32");
}

}  // namespace

std::optional<std::string> write_video(FunctionWriter& writer, const Instruction& instruction) {
  if (instruction.opcode == "vabsdiff4") return distance(writer, instruction);
  return std::nullopt;
}

}  // namespace assay::ptx
