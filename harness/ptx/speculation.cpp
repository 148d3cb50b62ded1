// Works within a block of instructions, on registers that the whole function names twice.
#include "harness/ptx/speculation.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "harness/ptx/forms.h"

namespace assay::ptx {
namespace {

using Mentions = std::map<std::string, int, std::less<>>;

void for_each_name(const Operand& operand, const std::function<void(const std::string&)>& each) {
  if (operand.kind == Operand::name) each(operand.text);
  for (const Operand& part : operand.parts) for_each_name(part, each);
}

Mentions mentions_in(const Function& function) {
  Mentions mentions;
  for (const Block& block : function.blocks)
    for (const Instruction& instruction : block.instructions) {
      if (!instruction.guard.empty()) ++mentions[instruction.guard];
      for (const Operand& operand : instruction.operands)
        for_each_name(operand, [&](const std::string& name) { ++mentions[name]; });
    }
  return mentions;
}

bool names(const Operand& operand, const std::string& name) {
  bool found = false;
  for_each_name(operand, [&](const std::string& each) { found = found || each == name; });
  return found;
}

bool is_plain_load(const Instruction& instruction) {
  return instruction.opcode == "ld" && instruction.operands.size() == 2 &&
         instruction.operands[0].kind == Operand::name &&
         std::ranges::none_of(instruction.modifiers, [](const std::string& word) {
           return has_word("volatile relaxed acquire mmio param", word);
         });
}

// Neither memory nor the order of accesses is changed by these.
bool is_pure(const Instruction& instruction) {
  return is_plain_load(instruction) ||
         has_word("setp selp mov add sub mul mad fma div rem cvt cvta shl shr and or xor not neg abs min max set lop3",
                  instruction.opcode);
}

// The place of the selp to whose condition the load at `at` belongs.
std::optional<size_t> selp_of(const std::vector<Instruction>& instructions, size_t at) {
  const std::string& loaded = instructions[at].operands[0].text;
  for (size_t i = at + 1; i < instructions.size() && is_pure(instructions[i]); ++i) {
    const Instruction& each = instructions[i];
    const auto names_it = [&](const Operand& operand) { return names(operand, loaded); };
    if (std::ranges::any_of(each.operands, names_it)) {
      const bool chooses = each.opcode == "selp" && each.guard.empty() && each.operands.size() == 4 &&
                           names_it(each.operands[1]) != names_it(each.operands[2]) &&
                           each.operands[3].kind == Operand::name && !names_it(each.operands[3]);
      return chooses ? std::optional(i) : std::nullopt;
    }
    bool moves_address = false;  // what is written comes first
    if (!each.operands.empty())
      for_each_name(each.operands[0], [&](const std::string& written) {
        moves_address = moves_address || names(instructions[at].operands[1], written);
      });
    if (moves_address) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Function without_speculation(Function function) {
  const Mentions mentions = mentions_in(function);
  for (Block& block : function.blocks) {
    auto& all = block.instructions;
    for (size_t at = all.size(); at-- > 0;) {
      if (!is_plain_load(all[at]) || !all[at].guard.empty() || mentions.find(all[at].operands[0].text)->second != 2)
        continue;
      const std::optional<size_t> selp = selp_of(all, at);
      if (!selp) continue;
      const Operand& condition = all[*selp].operands[3];
      all[at].guard = condition.text;
      all[at].guard_negated = condition.negated != names(all[*selp].operands[2], all[at].operands[0].text);
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(at);
      std::rotate(begin, begin + 1, all.begin() + static_cast<std::ptrdiff_t>(*selp));
    }
  }
  return function;
}

}  // namespace assay::ptx
