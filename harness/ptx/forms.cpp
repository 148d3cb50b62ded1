// The table. Rows that must have more modifiers come before those with fewer.
#include "harness/ptx/forms.h"

#include <algorithm>
#include <array>
#include <span>

namespace assay::ptx {
namespace {

// One row: instructions that differ in their names alone.
struct Form {
  std::string_view names;           // opcodes, each with the modifiers that it must have: "add.cc subc"
  std::string_view types;           // their last modifier, one of these
  std::string_view operands;        // as PlainForm has them
  std::string_view modifiers;       // they may have
  std::string_view function = "*";  // as PlainForm has it; *: the name, "add_cc"
};

constexpr std::string_view kWhole = "u16 s16 u32 s32 u64 s64", kWide = "u32 s32 u64 s64", kBits = "b16 b32 b64",
                           kSmall = "f16 f16x2 bf16 bf16x2", kDirected = "rn rz rm rp ftz sat",
                           kRounding = "rn rz rm rp";

constexpr std::array kForms{
    // Integers.
    Form{"add.cc addc.cc addc sub.cc subc.cc subc", kWide, "TTTC", ""},
    Form{"mad.cc madc.cc madc", kWide, "TTTTC", "lo hi"},
    Form{"mul.wide", "u16 s16 u32 s32", "WTT", ""},
    Form{"mad.wide", "u16 s16 u32 s32", "WTTW", ""},
    Form{"add sub", kWhole, "TTT", "sat"},
    Form{"mul", kWhole, "TTT", "lo hi"},
    Form{"mad", kWhole, "TTTT", "lo hi sat"},
    Form{"mul24", "u32 s32", "TTT", "lo hi"},
    Form{"mad24", "u32 s32", "TTTT", "lo hi sat"},
    Form{"sad", kWhole, "TTTT", ""},
    Form{"div rem", kWhole, "TTT", ""},
    Form{"abs neg", "s16 s32 s64", "TT", ""},
    Form{"min max", kWhole, "TTT", "relu"},
    Form{"popc clz", "b32 b64", "UT", ""},
    Form{"brev", "b32 b64", "TT", ""},
    Form{"bfind", kWide, "UT", "shiftamt"},
    Form{"szext", "u32 s32", "TTU", "wrap clamp"},
    Form{"bmsk", "b32", "TUU", "wrap clamp"},
    Form{"bfe", kWide, "TTUU", ""},
    Form{"bfi", "b32 b64", "TTTUU", ""},
    // Bits.
    Form{"and or xor", "pred b16 b32 b64", "TTT", "", "bit_*"},
    Form{"not", "pred b16 b32 b64", "TT", "", "bit_*"},
    Form{"cnot", kBits, "TT", ""},
    Form{"shl", kBits, "TTU", ""},
    Form{"shr", "b16 b32 b64 u16 s16 u32 s32 u64 s64", "TTU", ""},
    Form{"shf.l shf.r", "b32", "TTTU", "wrap clamp"},
    Form{"lop3", "b32", "TTTTU", ""},
    Form{"prmt", "b32", "TTTT", ""},
    // Floating point.
    Form{"div.approx div.full", "f32", "TTT", "ftz"},
    Form{"rcp.approx sqrt.approx rsqrt.approx sin.approx cos.approx lg2.approx", "f32", "TT", "ftz"},
    Form{"rcp.approx rsqrt.approx", "f64", "TT", "ftz", "*64"},
    Form{"ex2.approx", "f32 f16 f16x2 bf16 bf16x2", "TT", "ftz"},
    Form{"tanh.approx", "f32 f16 f16x2 bf16 bf16x2", "TT", ""},
    Form{"add sub mul", "f32", "TTT", kDirected},
    Form{"fma", "f32", "TTTT", kDirected},
    Form{"mad", "f32", "TTTT", kDirected, "fma"},
    Form{"div", "f32", "TTT", "rn rz rm rp ftz"},
    Form{"rcp sqrt", "f32", "TT", "rn rz rm rp ftz"},
    Form{"add sub mul div", "f64", "TTT", kRounding},
    Form{"fma", "f64", "TTTT", kRounding},
    Form{"mad", "f64", "TTTT", kRounding, "fma"},
    Form{"rcp sqrt", "f64", "TT", kRounding},
    Form{"add sub mul", kSmall, "TTT", "rn ftz sat"},
    Form{"fma", kSmall, "TTTT", "rn ftz sat relu"},
    Form{"neg abs", "f32 f64 f16 f16x2 bf16 bf16x2", "TT", "ftz"},
    Form{"min max", "f32 f64 f16 f16x2 bf16 bf16x2", "TTT", "ftz NaN relu"},
    Form{"copysign", "f32 f64", "TTT", ""},
    Form{"testp.finite", "f32 f64", "PT", "", "testp<Kind::finite"},
    Form{"testp.infinite", "f32 f64", "PT", "", "testp<Kind::infinite"},
    Form{"testp.number", "f32 f64", "PT", "", "testp<Kind::number"},
    Form{"testp.notanumber", "f32 f64", "PT", "", "testp<Kind::notanumber"},
    Form{"testp.normal", "f32 f64", "PT", "", "testp<Kind::normal"},
    Form{"testp.subnormal", "f32 f64", "PT", "", "testp<Kind::subnormal"},
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

// Whether the instruction is `name` with modifiers of the name and, besides its type, of `form` only.
bool fits(const Form& form, std::string_view name, const Instruction& instruction) {
  std::vector<std::string_view> needed = split(name, '.');
  if (needed[0] != instruction.opcode) return false;
  needed.erase(needed.begin());
  const std::span given(instruction.modifiers.begin(), instruction.modifiers.end() - 1);  // without the type
  const auto is_given = [&](std::string_view each) { return std::ranges::find(given, each) != given.end(); };
  const auto is_allowed = [&](std::string_view each) {
    return std::ranges::find(needed, each) != needed.end() || has_word(form.modifiers, each);
  };
  return std::ranges::all_of(needed, is_given) && std::ranges::all_of(given, is_allowed);
}

}  // namespace

bool has_word(std::string_view words, std::string_view word) {
  const auto all = split(words, ' ');
  return std::ranges::find(all, word) != all.end();
}

bool has(const Instruction& instruction, std::string_view modifier) {
  return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
}

bool has_only(const Instruction& instruction, std::string_view words) {
  return std::ranges::all_of(instruction.modifiers, [&](const std::string& each) { return has_word(words, each); });
}

std::optional<PlainForm> form_of(const Instruction& instruction) {
  for (const Form& form : kForms) {
    if (instruction.modifiers.empty() || !has_word(form.types, instruction.modifiers.back())) continue;
    for (const std::string_view name : split(form.names, ' ')) {
      if (!fits(form, name, instruction)) continue;
      std::string function(form.function), spelled(name);
      std::ranges::replace(spelled, '.', '_');
      if (const size_t star = function.find('*'); star != std::string::npos) function.replace(star, 1, spelled);
      return PlainForm{form.operands, function};
    }
  }
  return std::nullopt;
}

std::string flags_of(const Instruction& instruction) {
  static constexpr std::string_view kFlags =
      "rz rm rp rni rzi rmi rpi rna ftz sat relu NaN hi shiftamt wrap";  // as kRz, …: bits.h
  std::string flags;
  for (const std::string& modifier : instruction.modifiers) {
    if (!has_word(kFlags, modifier)) continue;
    std::string name = modifier == "NaN" ? "nan" : modifier;
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    flags += (flags.empty() ? "k" : " | k") + name;
  }
  return flags.empty() ? "0" : flags;
}

}  // namespace assay::ptx
