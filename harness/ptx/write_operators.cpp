// Instructions that are one operator of C++ on 32 or 64 bits or on predicates: more than half of every kernel.
//
// Each is in the table of forms or among the moves too, where it is a function; as an operator it takes the host
// compiler half the time. Instructions that are not written here go there, so only that time depends on this file.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/ptx/family.h"
#include "harness/ptx/forms.h"
#include "harness/ptx/types.h"

namespace assay::ptx {
namespace {

using Symbol = std::pair<std::string_view, std::string_view>;

template <size_t n>
std::string_view symbol_in(const std::array<Symbol, n>& table, std::string_view name) {
  const auto at = std::ranges::find(table, name, &Symbol::first);
  return at == table.end() ? std::string_view() : at->second;
}

// "b32" of u32, s32 and b32; "" of types that are no words.
std::string word_type(const std::string& type) {
  if (type == "f32" || type == "pred") return type;
  return has_word("u32 s32 b32 u64 s64 b64", type) ? "b" + type.substr(1) : "";
}

// Whether the operands are a register of that type, and values.
bool has_plain_operands(const FunctionWriter& writer, const Instruction& instruction, size_t count,
                        const std::string& type) {
  const auto& operands = instruction.operands;
  if (operands.size() != count || type.empty() || writer.register_type_of(operands[0]) != cpp_type(type)) return false;
  return std::all_of(operands.begin() + 1, operands.end(), [](const Operand& each) {
    return each.kind == Operand::name || each.kind == Operand::whole || each.kind == Operand::f32;
  });
}

std::string value_with_sign(FunctionWriter& writer, const Operand& operand, const std::string& type) {
  const std::string value = writer.value(operand, "b" + type.substr(1));
  return type[0] == 's' ? fmt::format("static_cast<int{}_t>({})", type.substr(1), value) : value;
}

// add, sub, mul.lo, mad.lo, and, or, xor: the same bits for signed and unsigned words, which wrap around.
std::optional<std::string> word_arithmetic(FunctionWriter& writer, const Instruction& instruction) {
  static constexpr std::array<Symbol, 7> kWords{
      {{"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"mad", "*"}, {"and", "&"}, {"or", "|"}, {"xor", "^"}}};
  static constexpr std::array<Symbol, 3> kPredicates{{{"and", "&"}, {"or", "|"}, {"xor", "^"}}};
  const auto& [opcode, modifiers] = std::tie(instruction.opcode, instruction.modifiers);
  const bool multiplies = opcode == "mul" || opcode == "mad";
  if (modifiers.size() != (multiplies ? 2 : 1) || (multiplies && modifiers[0] != "lo")) return std::nullopt;
  const std::string word = word_type(modifiers.back());
  const std::string_view symbol = word == "pred" ? symbol_in(kPredicates, opcode) : symbol_in(kWords, opcode);
  if (symbol.empty() || word == "f32" || !has_plain_operands(writer, instruction, opcode == "mad" ? 4 : 3, word))
    return std::nullopt;
  const auto& operands = instruction.operands;
  std::string value = fmt::format("{} {} {}", writer.value(operands[1], word), symbol, writer.value(operands[2], word));
  if (opcode == "mad") value += " + " + writer.value(operands[3], word);
  return writer.assign(operands[0], value, word);
}

// Shifts by a constant only: a variable count beyond the width has a meaning that C++ does not give it.
std::optional<std::string> word_shift(FunctionWriter& writer, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const std::string word = instruction.modifiers.size() == 1 ? word_type(instruction.modifiers[0]) : "";
  if (word == "f32" || word == "pred" || !has_plain_operands(writer, instruction, 3, word) ||
      operands[2].kind != Operand::whole || operands[2].bits >= 8 * bytes_of(word))
    return std::nullopt;
  if (instruction.opcode == "shl")
    return writer.assign(operands[0], fmt::format("{} << {}", writer.value(operands[1], word), operands[2].bits), word);
  return writer.assign(operands[0],
                       fmt::format("static_cast<{}>({} >> {})", *cpp_type(word),
                                   value_with_sign(writer, operands[1], instruction.modifiers[0]), operands[2].bits),
                       word);
}

std::optional<std::string> word_compare(FunctionWriter& writer, const Instruction& instruction) {
  static constexpr std::array<Symbol, 6> kSymbols{
      {{"eq", "=="}, {"ne", "!="}, {"lt", "<"}, {"le", "<="}, {"gt", ">"}, {"ge", ">="}}};
  const auto& operands = instruction.operands;
  if (instruction.modifiers.size() != 2 || !has_plain_operands(writer, instruction, 3, "pred")) return std::nullopt;
  const std::string_view symbol = symbol_in(kSymbols, instruction.modifiers[0]);
  const std::string& type = instruction.modifiers[1];
  const std::string word = word_type(type);
  if (symbol.empty() || word.empty() || word == "f32" || word == "pred") return std::nullopt;
  return writer.assign(operands[0],
                       fmt::format("{} {} {}", value_with_sign(writer, operands[1], type), symbol,
                                   value_with_sign(writer, operands[2], type)),
                       "pred");
}

// mov of a word or a float, and selp
std::optional<std::string> word_move(FunctionWriter& writer, const Instruction& instruction) {
  const bool selects = instruction.opcode == "selp";
  if (instruction.operands.empty()) return std::nullopt;
  std::string word = instruction.modifiers.size() == 1 ? word_type(instruction.modifiers[0]) : "";
  if (word == "b32" && writer.register_type_of(instruction.operands[0]) == "float") word = "f32";  // the bits of it
  if (!has_plain_operands(writer, instruction, selects ? 4 : 2, word)) return std::nullopt;
  const auto& operands = instruction.operands;
  std::string value = writer.value(operands[1], word);
  if (selects)
    value = fmt::format("select_{}({}, {}, {})", word, writer.value(operands[3], "pred"), value,
                        writer.value(operands[2], word));
  return writer.assign(operands[0], value, word);
}

// cvt between words
std::optional<std::string> word_convert(FunctionWriter& writer, const Instruction& instruction) {
  if (instruction.modifiers.size() != 2) return std::nullopt;
  const std::string &to = instruction.modifiers[0], &from = instruction.modifiers[1];
  if (!has_word("u32 s32 u64 s64", to) || !has_word("u32 s32 u64 s64", from) ||
      !has_plain_operands(writer, instruction, 2, word_type(to)))
    return std::nullopt;
  return writer.assign(instruction.operands[0],
                       fmt::format("static_cast<{}>({})", *cpp_type(word_type(to)),
                                   value_with_sign(writer, instruction.operands[1], from)),
                       word_type(to));
}

}  // namespace

std::optional<std::string> write_operators(FunctionWriter& writer, const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  if (has_word("add sub mul mad and or xor", opcode)) return word_arithmetic(writer, instruction);
  if (opcode == "shl" || opcode == "shr") return word_shift(writer, instruction);
  if (opcode == "setp") return word_compare(writer, instruction);
  if (opcode == "mov" || opcode == "selp") return word_move(writer, instruction);
  if (opcode == "cvt") return word_convert(writer, instruction);
  return std::nullopt;
}

}  // namespace assay::ptx
