// Loads, stores, addresses and asynchronous copies.
#include <fmt/format.h>

#include <algorithm>

#include "harness/ptx/declarations.h"
#include "harness/ptx/family.h"
#include "harness/ptx/forms.h"
#include "harness/ptx/types.h"

namespace assay::ptx {
namespace {

// The meaning of a load's or store's modifiers.
struct Access {
  Space space = Space::generic;
  size_t count = 1;  // elements of a vector
  enum { plain, is_volatile, ordered } order = plain;
  bool in_block = false;  // the scope of an ordered access
  std::string type;
};

std::optional<Access> access_of(const Instruction& instruction) {
  // Hints to caches, scopes and the weak order: no effect on what is computed here.
  static constexpr std::string_view kHints = "nc ca cg cs lu cv wb wt weak cluster gpu sys unified";
  Access access;
  if (instruction.modifiers.empty() || !cpp_type(instruction.modifiers.back())) return std::nullopt;
  access.type = instruction.modifiers.back();
  for (auto at = instruction.modifiers.begin(); at != instruction.modifiers.end() - 1; ++at) {
    const Space space = space_of("." + *at);
    if (space != Space::generic)
      access.space = space;
    else if (*at == "v2" || *at == "v4" || *at == "v8")
      access.count = static_cast<size_t>((*at)[1] - '0');
    else if (*at == "volatile")
      access.order = Access::is_volatile;
    else if (has_word("relaxed acquire release", *at))
      access.order = Access::ordered;
    else if (*at == "cta")
      access.in_block = true;
    else if (!at->starts_with("L1::") && !at->starts_with("L2::") && !has_word(kHints, *at))
      return std::nullopt;
  }
  // The ISA says of .volatile that it orders as .relaxed.sys does: blocks that wait for each other by volatile words,
  // as those of CUB's radix sort, do not race. In shared memory it is what warp-synchronous code is written with, which
  // relies on an order that nothing promises.
  if (access.order == Access::is_volatile && access.space == Space::global && access.count == 1)
    access.order = Access::ordered;
  const bool is_wide = access.count * bytes_of(access.type) > 16;
  if (is_wide || access.type == "pred") return std::nullopt;
  return access;
}

std::string load_parameter(FunctionWriter& writer, const Operand& to, const std::string& from, const Access& access) {
  const std::string type = *cpp_type(access.type);
  if (access.count == 1) return writer.assign(to, fmt::format("peek<{}>({})", type, from), access.type);
  std::string text = "{ ";
  for (size_t i = 0; i < access.count; ++i)
    if (to.parts[i].kind != Operand::sink)
      text += writer.assign(to.parts[i], fmt::format("peek<{}>({} + {})", type, from, i * bytes_of(access.type))) + " ";
  return text + "}";
}

const char* name_of(const Access& access, const char* plain, const char* of_volatile, const char* ordered) {
  return access.order == Access::plain ? plain : access.order == Access::ordered ? ordered : of_volatile;
}

const char* scope_of(const Access& access) {
  return access.order == Access::ordered && access.in_block ? ", Scope::block" : "";
}

std::string load(FunctionWriter& writer, const Instruction& instruction) {
  const auto access = access_of(instruction);
  const auto& operands = instruction.operands;
  if (!access || operands.size() < 2 || operands[1].parts.size() != 1 ||
      (access->count > 1 && operands[0].parts.size() != access->count))
    return writer.refuse_instruction(instruction), "";
  if (const auto parameter = writer.parameter(operands[1].parts[0]); parameter && access->space == Space::param)
    return load_parameter(writer, operands[0], *parameter, *access);
  const std::string from = writer.address(operands[1], access->space), type = *cpp_type(access->type);
  if (access->count == 1)
    return writer.assign(operands[0],
                         fmt::format("{}<{}{}>({})", name_of(*access, "load", "load_volatile", "load_ordered"), type,
                                     scope_of(*access), from),
                         access->type) +
           (has(instruction, "acquire") ? acquire_after(access->in_block) : "");
  std::string text = fmt::format("{{ const auto all = {}<{}, {}{}>({}); ",
                                 name_of(*access, "load_vector", "load_vector", "load_vector_ordered"), type,
                                 access->count, scope_of(*access), from);
  for (size_t i = 0; i < access->count; ++i)
    if (operands[0].parts[i].kind != Operand::sink)
      text += writer.assign(operands[0].parts[i], fmt::format("all.at[{}]", i), access->type) + " ";
  return text + "}" + (has(instruction, "acquire") ? acquire_after(access->in_block) : "");
}

std::string store(FunctionWriter& writer, const Instruction& instruction) {
  const auto access = access_of(instruction);
  const auto& operands = instruction.operands;
  if (!access || operands.size() < 2 || operands[0].parts.size() != 1 ||
      (access->count > 1 && operands[1].parts.size() != access->count))
    return writer.refuse_instruction(instruction), "";
  const std::string type = *cpp_type(access->type);
  const auto element = [&](size_t i) {
    return writer.value(access->count == 1 ? operands[1] : operands[1].parts[i], access->type);
  };
  if (const auto parameter = writer.parameter(operands[0].parts[0]); parameter && access->space == Space::param) {
    std::string text = "{ ";
    for (size_t i = 0; i < access->count; ++i)
      text += fmt::format("poke<{}>({} + {}, {}); ", type, *parameter, i * bytes_of(access->type), element(i));
    return text + "}";
  }
  const std::string to = writer.address(operands[0], access->space);
  const std::string fence = has(instruction, "release") ? fence_before(access->in_block) : "";
  if (access->count == 1)
    return fmt::format("{}{}<{}{}>({}, {});", fence, name_of(*access, "store", "store_volatile", "store_ordered"), type,
                       scope_of(*access), to, element(0));
  std::string text = fmt::format("{}{}<{}, {}{}>({}, {{{{", fence,
                                 name_of(*access, "store_vector", "store_vector", "store_vector_ordered"), type,
                                 access->count, scope_of(*access), to);
  for (size_t i = 0; i < access->count; ++i) text += (i == 0 ? "" : ", ") + element(i);
  return text + "}});";
}

// cvta[.to].SPACE.u64 d, a: only shared addresses differ from generic ones.
std::string convert_address(FunctionWriter& writer, const Instruction& instruction) {
  const auto& modifiers = instruction.modifiers;
  if (instruction.operands.size() != 2 || modifiers.size() < 2) return writer.refuse_instruction(instruction), "";
  const bool to = modifiers[0] == "to";
  const std::string value = writer.value(instruction.operands[1], "b64");
  const Space space = space_of("." + modifiers[to ? 1 : 0]);
  if (space == Space::generic) return writer.refuse_instruction(instruction), "";
  if (space != Space::shared) return writer.assign(instruction.operands[0], value);
  return writer.assign(instruction.operands[0], fmt::format("{}({})", to ? "to_shared" : "from_shared", value));
}

std::string is_in_space(FunctionWriter& writer, const Instruction& instruction) {
  const Space space = instruction.modifiers.empty() ? Space::generic : space_of("." + instruction.modifiers[0]);
  if (instruction.operands.size() != 2 || (space != Space::shared && space != Space::global))
    return writer.refuse_instruction(instruction), "";
  return writer.assign(instruction.operands[0], fmt::format("{}is_shared({})", space == Space::shared ? "" : "!",
                                                            writer.value(instruction.operands[1], "b64")));
}

// cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], bytes, [mbarrier]
std::string copy_bulk(FunctionWriter& writer, const Instruction& instruction) {
  static constexpr std::string_view kShared = "shared::cluster shared::cta";
  const auto& modifiers = instruction.modifiers;
  const auto& operands = instruction.operands;
  if (modifiers.size() != 5 || !has_word(kShared, modifiers[2]) || modifiers[3] != "global" ||
      modifiers[4] != "mbarrier::complete_tx::bytes" || operands.size() != 4)
    return writer.refuse_instruction(instruction), "";
  const std::string bytes = writer.value(operands[2], "u32");
  return fmt::format("copy_bulk({}, {}, {}); mbarrier_update({}, 0, 0, -static_cast<int32_t>({}));",
                     writer.address(operands[0], Space::shared), writer.address(operands[1], Space::global), bytes,
                     writer.address(operands[3], Space::shared), bytes);
}

// cp.async.ca.shared.global [to], [from], bytes[, source bytes]; commit_group; wait_group N; wait_all
std::string copy(FunctionWriter& writer, const Instruction& instruction) {
  const auto& modifiers = instruction.modifiers;
  const auto& operands = instruction.operands;
  const auto has = [&](const char* word) { return std::ranges::find(modifiers, word) != modifiers.end(); };
  if (has("bulk")) return copy_bulk(writer, instruction);
  if (!has("async")) return writer.refuse_instruction(instruction), "";
  if (has("mbarrier")) {
    if (!has("arrive") || operands.size() != 1) return writer.refuse_instruction(instruction), "";
    const bool is_shared = has("shared") || has("shared::cta");
    return fmt::format("cp_async_mbarrier_arrive({}, {});",
                       writer.address(operands[0], is_shared ? Space::shared : Space::generic), has("noinc"));
  }
  if (has("commit_group")) return "simt::cp_async_commit_group();";
  if (has("wait_all")) return "simt::cp_async_wait_all();";
  if (has("wait_group") && operands.size() == 1)
    return fmt::format("simt::async_wait(simt::current(), {});", writer.value(operands[0], "u32"));
  if (operands.size() < 3 || has("cache_hint")) return writer.refuse_instruction(instruction), "";
  const bool has_source_bytes = operands.size() > 3 && !has("L2::cache_hint");
  return fmt::format("cp_async({}, {}, {}, {});", writer.address(operands[0], Space::shared),
                     writer.address(operands[1], Space::global), writer.value(operands[2], "u32"),
                     writer.value(operands[has_source_bytes ? 3 : 2], "u32"));
}

}  // namespace

std::optional<std::string> write_memory(FunctionWriter& writer, const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  if (opcode == "ld" || opcode == "ldu") return load(writer, instruction);
  if (opcode == "st") return store(writer, instruction);
  if (opcode == "cvta") return convert_address(writer, instruction);
  if (opcode == "isspacep") return is_in_space(writer, instruction);
  if (opcode == "cp") return copy(writer, instruction);
  return std::nullopt;
}

}  // namespace assay::ptx
