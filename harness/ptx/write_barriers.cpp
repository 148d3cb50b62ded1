// Barriers of a block and of some of its threads, and mbarriers.
#include <fmt/format.h>

#include "harness/ptx/family.h"
#include "harness/ptx/forms.h"

namespace assay::ptx {
namespace {

// bar.sync a[, b], bar.arrive a, b, bar.red.OP d, a[, b], [!]p, and the same as barrier[.cta]; bar.warp.sync mask
std::string barrier(FunctionWriter& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const size_t count = operands.size();
  if (has(instruction, "warp") && has_only(instruction, "warp sync") && count == 1)
    return fmt::format("__syncwarp({});", writer.value(operands[0], "b32"));
  if (!has_only(instruction, "cta sync arrive red aligned popc and or u32 pred"))
    return writer.refuse_instruction(instruction), "";
  const auto number = [&](size_t i) { return writer.value(operands[i], "u32"); };
  if (has(instruction, "sync") && (count == 1 || count == 2))
    return fmt::format("bar_sync({}, {});", number(0), count == 2 ? number(1) : "0");
  if (has(instruction, "arrive") && count == 2) return fmt::format("bar_arrive({}, {});", number(0), number(1));
  if (!has(instruction, "red") || (count != 3 && count != 4)) return writer.refuse_instruction(instruction), "";
  const char* const how = has(instruction, "popc") ? "popc" : has(instruction, "and") ? "all" : "any";
  const std::string made = fmt::format("bar_red<Vote::{}>({}, {}, {})", how, number(1), count == 4 ? number(2) : "0",
                                       writer.value(operands.back(), "pred"));
  return writer.assign(operands[0], has(instruction, "popc") ? made : made + " != 0");
}

Space space_of_mbarrier(const Instruction& instruction) {
  const bool is_shared =
      has(instruction, "shared") || has(instruction, "shared::cta") || has(instruction, "shared::cluster");
  return is_shared ? Space::shared : Space::generic;
}

// mbarrier.arrive[_drop][.expect_tx|.noComplete] state, [m][, count or bytes]
std::string arrive(FunctionWriter& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const bool has_result = operands[0].kind != Operand::address;
  const size_t at = has_result ? 1 : 0;
  if (operands.size() <= at || operands.size() > at + 2) return writer.refuse_instruction(instruction), "";
  const bool expects = has(instruction, "expect_tx");
  const std::string given = operands.size() == at + 2 ? writer.value(operands[at + 1], "u32") : "1u";
  const std::string count = expects ? "1u" : given;
  const std::string made = fmt::format(
      "mbarrier_update({}, {}, {}, {})", writer.address(operands[at], space_of_mbarrier(instruction)), count,
      has(instruction, "arrive_drop") ? count : "0u", expects ? fmt::format("static_cast<int32_t>({})", given) : "0");
  return has_result ? writer.assign(operands[0], made) : made + ";";
}

std::string mbarrier(FunctionWriter& writer, const Instruction& instruction) {
  static constexpr std::string_view kKnown =
      "init inval expect_tx complete_tx arrive arrive_drop noComplete test_wait try_wait parity pending_count relaxed "
      "acquire release cta cluster shared shared::cta shared::cluster b64";
  const auto& operands = instruction.operands;
  if (!has_only(instruction, kKnown) || operands.empty()) return writer.refuse_instruction(instruction), "";
  const std::string& what = instruction.modifiers[0];
  const Space space = space_of_mbarrier(instruction);
  if (what == "init" && operands.size() == 2)
    return fmt::format("mbarrier_init({}, {});", writer.address(operands[0], space), writer.value(operands[1], "u32"));
  if (what == "inval" && operands.size() == 1)
    return fmt::format("mbarrier_inval({});", writer.address(operands[0], space));
  if (what == "arrive" || what == "arrive_drop") return arrive(writer, instruction);
  if ((what == "expect_tx" || what == "complete_tx") && operands.size() == 2)
    return fmt::format("mbarrier_update({}, 0, 0, {}static_cast<int32_t>({}));", writer.address(operands[0], space),
                       what == "expect_tx" ? "" : "-", writer.value(operands[1], "u32"));
  if (what == "pending_count" && operands.size() == 2)
    return writer.assign(operands[0], fmt::format("mbarrier_pending({})", writer.value(operands[1], "b64")));
  if ((what == "test_wait" || what == "try_wait") && operands.size() >= 3) {  // a hint of time may follow
    const std::string parity = has(instruction, "parity")
                                   ? writer.value(operands[2], "u32")
                                   : fmt::format("mbarrier_parity({})", writer.value(operands[2], "b64"));
    return writer.assign(operands[0],
                         fmt::format("mbarrier_{}({}, {})", what, writer.address(operands[1], space), parity));
  }
  return writer.refuse_instruction(instruction), "";
}

}  // namespace

std::optional<std::string> write_barriers(FunctionWriter& writer, const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  if (opcode == "bar" || opcode == "barrier") return barrier(writer, instruction);
  if (opcode == "mbarrier" && !instruction.modifiers.empty()) return mbarrier(writer, instruction);
  return std::nullopt;
}

}  // namespace assay::ptx
