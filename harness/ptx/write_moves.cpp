// Plain instructions by the table of forms, and those that move, convert, compare and select.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/ptx/family.h"
#include "harness/ptx/forms.h"
#include "harness/ptx/types.h"

namespace assay::ptx {
namespace {

using Operands = std::vector<Operand>;

std::string twice(const std::string& type) {
  return type.substr(0, 1) + (type.ends_with("16") ? "32" : "64");  // s16: s32, u32: u64
}

// mov of several at once: "mov.b64 {a, b}, c" and "mov.b64 c, {a, b}".
std::string move_parts(FunctionWriter& writer, const Instruction& instruction, const std::string& type) {
  const Operand &to = instruction.operands[0], &from = instruction.operands[1];
  const bool unpacks = to.kind == Operand::vector;
  const std::vector<Operand>& parts = unpacks ? to.parts : from.parts;
  const uint64_t bits = parts.empty() ? 0 : 8 * bytes_of(type) / parts.size();
  if (bits < 8 || bits * parts.size() != 8 * bytes_of(type)) return writer.refuse_instruction(instruction), "";
  const std::string part = fmt::format("b{}", bits), whole = *cpp_type(type);
  std::string text;
  if (unpacks) {
    text = fmt::format("{{ const {} whole = {}; ", whole, writer.value(from, type));
    for (size_t i = 0; i < parts.size(); ++i)
      if (parts[i].kind != Operand::sink)
        text += writer.assign(parts[i], fmt::format("static_cast<{}>(whole >> {})", *cpp_type(part), i * bits)) + " ";
    return text + "}";
  }
  for (size_t i = 0; i < parts.size(); ++i)
    text +=
        fmt::format("{}static_cast<{}>({}) << {}", i == 0 ? "" : " | ", whole, writer.value(parts[i], part), i * bits);
  return writer.assign(to, fmt::format("static_cast<{}>({})", whole, text));
}

std::string move(FunctionWriter& writer, const Instruction& instruction) {
  const Operands& operands = instruction.operands;
  if (instruction.modifiers.size() != 1 || operands.size() != 2) return writer.refuse_instruction(instruction), "";
  const std::string& type = instruction.modifiers[0];
  if (!cpp_type(type)) return writer.refuse_instruction(instruction), "";
  if (operands[0].kind == Operand::vector || operands[1].kind == Operand::vector)
    return move_parts(writer, instruction, type);
  return writer.assign(operands[0], writer.value(operands[1], type));
}

std::string convert_fp8(FunctionWriter& writer, const Instruction& instruction);

std::string convert(FunctionWriter& writer, const Instruction& instruction) {
  const Operands& operands = instruction.operands;
  const auto& modifiers = instruction.modifiers;
  if (modifiers.size() < 2 || operands.size() < 2) return writer.refuse_instruction(instruction), "";
  if (std::any_of(modifiers.end() - 2, modifiers.end(), [](const std::string& type) { return type[0] == 'e'; }))
    return convert_fp8(writer, instruction);
  static constexpr std::string_view kKnown = "rn rz rm rp rni rzi rmi rpi rna ftz sat relu";
  if (!std::all_of(modifiers.begin(), modifiers.end() - 2, [](const std::string& m) { return has_word(kKnown, m); }))
    return writer.refuse_instruction(instruction), "";
  const std::string to = modifiers[modifiers.size() - 2], from = modifiers.back(), flags = flags_of(instruction);
  const auto to_type = cpp_type(to), from_type = cpp_type(from);
  if (to == "tf32" && from == "f32" && operands.size() == 2)
    return writer.assign(operands[0], fmt::format("cvt_tf32<{}>({})", flags, writer.value(operands[1], from)));
  if (!to_type || !from_type || to == "pred" || from == "pred") return writer.refuse_instruction(instruction), "";
  if (to.ends_with("x2") != (operands.size() == 3)) return writer.refuse_instruction(instruction), "";
  if (operands.size() == 3) {
    if (from != "f32") return writer.refuse_instruction(instruction), "";
    return writer.assign(operands[0], fmt::format("cvt_pair<{}, {}>({}, {})", *to_type, flags,
                                                  writer.value(operands[1], from), writer.value(operands[2], from)));
  }
  return writer.assign(operands[0],
                       fmt::format("cvt<{}, {}, {}>({})", *to_type, *from_type, flags, writer.value(operands[1], from)),
                       to == "f32" ? "f32" : "");
}

constexpr std::string_view kComparisons = "eq ne lt le gt ge equ neu ltu leu gtu geu num nan";

// "Comparison::lt"; integers have other names for the unsigned ones.
std::string comparison(const std::string& name, bool on_integers) {
  if (on_integers && name == "lo") return "lt";
  if (on_integers && name == "ls") return "le";
  if (on_integers && name == "hi") return "gt";
  if (on_integers && name == "hs") return "ge";
  return has_word(kComparisons, name) ? name : "";
}

// setp.CMP[.BOOL][.ftz].TYPE p[|q], a, b[, [!]c]
std::string set_predicate(FunctionWriter& writer, const Instruction& instruction) {
  const auto& modifiers = instruction.modifiers;
  const Operands& operands = instruction.operands;
  const std::string type = modifiers.empty() ? "" : modifiers.back();
  const std::string how = modifiers.empty() ? "" : comparison(modifiers[0], type[0] == 'u');
  if (how.empty() || operands.size() < 3 || !cpp_type(type)) return writer.refuse_instruction(instruction), "";
  const std::string flags = flags_of(instruction) == "kFtz" ? "kFtz" : "0";
  const bool two = operands[0].kind == Operand::pair;
  if (type.ends_with("x2")) {
    if (!two || operands.size() != 3) return writer.refuse_instruction(instruction), "";
    std::string text = fmt::format("{{ const {0} a = {1}, b = {2}; ", *cpp_type(type), writer.value(operands[1], type),
                                   writer.value(operands[2], type));
    for (const auto& [i, half] : {std::pair{0, "low"}, {1, "high"}})
      text += writer.assign(operands[0].parts[static_cast<size_t>(i)],
                            fmt::format("compare<Comparison::{}, {}, {}>(a.{}, b.{})", how,
                                        type == "f16x2" ? "f16" : "bf16", flags, half, half)) +
              " ";
    return text + "}";
  }
  std::string is = fmt::format("compare<Comparison::{}, {}, {}>({}, {})", how, *cpp_type(type), flags,
                               writer.value(operands[1], type), writer.value(operands[2], type));
  std::string is_not = "!" + is;
  if (operands.size() == 4) {
    const char* op = has_word("and or xor", modifiers[1]) ? (modifiers[1] == "and"  ? "&&"
                                                             : modifiers[1] == "or" ? "||"
                                                                                    : "!=")
                                                          : nullptr;
    if (!op) return writer.refuse_instruction(instruction), "";
    const std::string third = writer.value(operands[3], "pred");
    is = fmt::format("({}) {} ({})", is, op, third), is_not = fmt::format("({}) {} ({})", is_not, op, third);
  }
  if (!two) return writer.assign(operands[0], is, "pred");
  return fmt::format("{{ const bool p = {}, q = {}; {} {} }}", is, is_not, writer.assign(operands[0].parts[0], "p"),
                     writer.assign(operands[0].parts[1], "q"));
}

// set.CMP[.ftz].TO.TYPE d, a, b: all ones or 1.0 where it holds
std::string set_value(FunctionWriter& writer, const Instruction& instruction) {
  const auto& modifiers = instruction.modifiers;
  const Operands& operands = instruction.operands;
  if (modifiers.size() < 3 || operands.size() != 3) return writer.refuse_instruction(instruction), "";
  const std::string type = modifiers.back(), to = modifiers[modifiers.size() - 2];
  const std::string how = comparison(modifiers[0], type[0] == 'u');
  if (how.empty() || !cpp_type(type) || !cpp_type(to)) return writer.refuse_instruction(instruction), "";
  const auto one = [&](const std::string& element, const std::string& of, const std::string& a, const std::string& b) {
    const std::string is =
        fmt::format("compare<Comparison::{}, {}, {}>({}, {})", how, *cpp_type(element), flags_of(instruction), a, b);
    const bool real = of.starts_with("f") || of.starts_with("bf");
    return real ? fmt::format("cvt<{}, uint32_t, 0>({} ? 1u : 0u)", *cpp_type(of), is)
                : fmt::format("({} ? static_cast<{}>(~{}{{0}}) : {}{{0}})", is, *cpp_type(of), *cpp_type(of),
                              *cpp_type(of));
  };
  const std::string a = writer.value(operands[1], type), b = writer.value(operands[2], type);
  if (!type.ends_with("x2")) return writer.assign(operands[0], one(type, to, a, b));
  const std::string element = type.substr(0, type.size() - 2);
  if (to != type && to != "u32") return writer.refuse_instruction(instruction), "";
  const std::string half = to == type ? element : "u16";
  return fmt::format("{{ const {0} a = {1}, b = {2}; {3} }}", *cpp_type(type), a, b,
                     writer.assign(operands[0], fmt::format("Pair<{}>{{{}, {}}}", *cpp_type(half),
                                                            one(element, half, "a.low", "b.low"),
                                                            one(element, half, "a.high", "b.high"))));
}

std::string select(FunctionWriter& writer, const Instruction& instruction) {
  const Operands& operands = instruction.operands;
  if (instruction.modifiers.size() != 1 || operands.size() != 4 || !cpp_type(instruction.modifiers[0]))
    return writer.refuse_instruction(instruction), "";
  const std::string& type = instruction.modifiers[0];
  return writer.assign(operands[0], fmt::format("({}) ? {} : {}", writer.value(operands[3], "pred"),
                                                writer.value(operands[1], type), writer.value(operands[2], type)));
}

// dp4a.TA.TB d, a, b, c
std::string dot_product(FunctionWriter& writer, const Instruction& instruction) {
  const Operands& operands = instruction.operands;
  if (instruction.modifiers.size() != 2 || operands.size() != 4) return writer.refuse_instruction(instruction), "";
  const auto bytes = [](const std::string& type) { return type == "s32" ? "int8_t" : "uint8_t"; };
  return writer.assign(operands[0], fmt::format("dp4a<{}, {}>({}, {}, {})", bytes(instruction.modifiers[0]),
                                                bytes(instruction.modifiers[1]), writer.value(operands[1], "b32"),
                                                writer.value(operands[2], "b32"), writer.value(operands[3], "b32")));
}

// dp2a.lo|hi.TA.TB d, a, b, c
std::string dot_product_of_halves(FunctionWriter& writer, const Instruction& instruction) {
  const Operands& operands = instruction.operands;
  const auto& modifiers = instruction.modifiers;
  if (modifiers.size() != 3 || operands.size() != 4 || !has_word("lo hi", modifiers[0]))
    return writer.refuse_instruction(instruction), "";
  const auto bytes = [](const std::string& type) { return type == "s32" ? "int8_t" : "uint8_t"; };
  return writer.assign(
      operands[0], fmt::format("dp2a<{}, {}, {}>({}, {}, {})", bytes(modifiers[1]), bytes(modifiers[2]),
                               modifiers[0] == "hi", writer.value(operands[1], "b32"), writer.value(operands[2], "b32"),
                               writer.value(operands[3], "b32")));
}

// Converts to and from pairs of e4m3 and e5m2: cvt.rn.satfinite[.relu].e4m3x2.f32 d, a, b; .e4m3x2.f16x2 d, a;
// .f16x2.e4m3x2 d, a
std::string convert_fp8(FunctionWriter& writer, const Instruction& instruction) {
  const Operands& operands = instruction.operands;
  const auto& modifiers = instruction.modifiers;
  const std::string &to = modifiers[modifiers.size() - 2], &from = modifiers.back();
  const auto is_fp8 = [](const std::string& type) { return type == "e4m3x2" || type == "e5m2x2"; };
  const bool all_known = std::all_of(modifiers.begin(), modifiers.end() - 2,
                                     [](const std::string& each) { return has_word("rn satfinite relu", each); });
  const size_t needed = from == "f32" ? 3 : 2;
  if (!all_known || is_fp8(to) == is_fp8(from) || operands.size() != needed)
    return writer.refuse_instruction(instruction), "";
  const std::string flags = flags_of(instruction), format = is_fp8(to) ? to.substr(0, 4) : from.substr(0, 4);
  if (from == "f32")
    return writer.assign(operands[0], fmt::format("fp8_pair<{}, {}>({}, {})", format, flags,
                                                  writer.value(operands[1], "f32"), writer.value(operands[2], "f32")));
  if (from == "f16x2")
    return writer.assign(operands[0],
                         fmt::format("fp8_pair<{}, {}>({})", format, flags, writer.value(operands[1], "f16x2")));
  if (to != "f16x2") return writer.refuse_instruction(instruction), "";
  return writer.assign(operands[0],
                       fmt::format("pair_of_fp8<{}, {}>({})", format, flags, writer.value(operands[1], "b16")));
}

}  // namespace

std::optional<std::string> write_plain(FunctionWriter& writer, const Instruction& instruction) {
  const auto form = form_of(instruction);
  if (!form) return std::nullopt;
  const std::string type = instruction.modifiers.back();
  const bool has_carry = form->operands.ends_with('C');
  const size_t count = form->operands.size() - (has_carry ? 1 : 0);
  if (instruction.operands.size() != count) return writer.refuse_instruction(instruction), "";
  std::string arguments;
  for (size_t i = 1; i < count; ++i) {
    const char letter = form->operands[i];
    const std::string of = letter == 'U' ? "u32" : letter == 'P' ? "pred" : letter == 'W' ? twice(type) : type;
    arguments += (i == 1 ? "" : ", ") + writer.value(instruction.operands[i], of);
  }
  if (has_carry) arguments += ", carry";
  const bool has_argument = form->function.find('<') != std::string::npos;
  // Functions give another type than that of their operands where the instruction does, as mul.wide: f32 is never that.
  return writer.assign(instruction.operands[0],
                       fmt::format("{}{}{}, {}>({})", form->function, has_argument ? ", " : "<", *cpp_type(type),
                                   flags_of(instruction), arguments),
                       type == "f32" && form->operands.starts_with('T') ? "f32" : "");
}

std::optional<std::string> write_moves(FunctionWriter& writer, const Instruction& instruction) {
  static constexpr std::array<std::pair<std::string_view, std::string (*)(FunctionWriter&, const Instruction&)>, 7>
      kAll{{{"mov", move},
            {"cvt", convert},
            {"setp", set_predicate},
            {"set", set_value},
            {"selp", select},
            {"dp2a", dot_product_of_halves},
            {"dp4a", dot_product}}};
  const auto found = std::ranges::find_if(kAll, [&](const auto& each) { return each.first == instruction.opcode; });
  if (found == kAll.end()) return std::nullopt;
  return found->second(writer, instruction);
}

}  // namespace assay::ptx
