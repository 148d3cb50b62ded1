// atom, red, and what orders memory.
#include <fmt/format.h>

#include "harness/ptx/declarations.h"
#include "harness/ptx/family.h"
#include "harness/ptx/forms.h"
#include "harness/ptx/types.h"

namespace assay::ptx {
namespace {

struct Update {
  Space space = Space::generic;
  std::string op, type;
};

std::optional<Update> update_of(const Instruction& instruction) {
  if (instruction.modifiers.empty()) return std::nullopt;
  Update update;
  update.type = instruction.modifiers.back();
  for (auto at = instruction.modifiers.begin(); at != instruction.modifiers.end() - 1; ++at) {
    const Space space = space_of("." + *at);
    if (space != Space::generic)
      update.space = space;
    else if (has_word("add min max and or xor exch cas inc dec", *at))
      update.op = *at;
    else if (!has_word("relaxed acquire release acq_rel cta cluster gpu sys noftz", *at))
      return std::nullopt;
  }
  static constexpr std::string_view kTypes = "b32 u32 s32 b64 u64 s64 f32 f64 f16 f16x2 bf16 bf16x2 b16";
  if (!has_word(kTypes, update.type) || update.op.empty()) return std::nullopt;
  const bool real = update.type.find('f') != std::string::npos;
  if (real && !has_word("add min max exch", update.op)) return std::nullopt;
  if (update.type == "b16" && update.op != "cas") return std::nullopt;
  return update;
}

std::string atomic(FunctionWriter& writer, const Instruction& instruction) {
  const auto update = update_of(instruction);
  const bool is_red = instruction.opcode == "red";
  const size_t first = is_red ? 0 : 1, needed = first + 2 + (update && update->op == "cas" ? 1 : 0);
  if (!update || instruction.operands.size() != needed) return writer.refuse_instruction(instruction), "";
  const bool in_block = has(instruction, "cta");
  const std::string scope = in_block ? ", Scope::block" : "";
  const std::string to = writer.address(instruction.operands[first], update->space), type = *cpp_type(update->type);
  const std::string a = writer.value(instruction.operands[first + 1], update->type);
  const bool is_bits = has_word("and or xor", update->op);
  const std::string done =
      update->op == "cas"
          ? fmt::format("atom_cas<{}{}>({}, {}, {})", type, scope, to, a,
                        writer.value(instruction.operands[first + 2], update->type))
          : fmt::format("atom<Atomic::{}{}, {}{}>({}, {})", is_bits ? "bit_" : "", update->op, type, scope, to, a);
  const bool both = has(instruction, "acq_rel");
  const char* const before = both || has(instruction, "release") ? fence_before(in_block) : "";
  const char* const after = both || has(instruction, "acquire") ? acquire_after(in_block) : "";
  return before + (is_red ? done + ";" : writer.assign(instruction.operands[0], done)) + after;
}

}  // namespace

std::optional<std::string> write_atomics(FunctionWriter& writer, const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  if (opcode == "atom" || opcode == "red") return atomic(writer, instruction);
  if (opcode != "membar" && opcode != "fence") return std::nullopt;
  // These order the asynchronous proxy with this one: copies are made at once (ptx/barriers.h).
  if (opcode == "fence" && !instruction.modifiers.empty() &&
      (instruction.modifiers[0] == "proxy" || instruction.modifiers[0] == "mbarrier_init"))
    return "__threadfence_block();";
  bool is_block = false;
  for (const std::string& modifier : instruction.modifiers) {
    if (modifier == "cta")
      is_block = true;
    else if (!has_word("sc acq_rel acquire release cluster gpu sys gl", modifier))
      return std::nullopt;
  }
  return is_block ? "__threadfence_block();" : "__threadfence();";
}

}  // namespace assay::ptx
