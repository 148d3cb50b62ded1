// The table. Rows that must have more modifiers come before those with fewer.
#include "harness/ptx/forms.h"

#include <algorithm>
#include <array>

namespace assay::ptx {
namespace {

constexpr std::string_view kWhole = "u16 s16 u32 s32 u64 s64", kWide = "u32 s32 u64 s64", kBits = "b16 b32 b64",
                           kSmall = "f16 f16x2 bf16 bf16x2", kDirected = "rn rz rm rp ftz sat",
                           kRounding = "rn rz rm rp";

constexpr std::array kForms{
    // Integers.
    Form{"add.cc", kWide, "TTTC", "", "add_cc"},
    Form{"addc.cc", kWide, "TTTC", "", "addc_cc"},
    Form{"addc", kWide, "TTTC", "", "addc"},
    Form{"sub.cc", kWide, "TTTC", "", "sub_cc"},
    Form{"subc.cc", kWide, "TTTC", "", "subc_cc"},
    Form{"subc", kWide, "TTTC", "", "subc"},
    Form{"mad.cc", kWide, "TTTTC", "lo hi", "mad_cc"},
    Form{"madc.cc", kWide, "TTTTC", "lo hi", "madc_cc"},
    Form{"madc", kWide, "TTTTC", "lo hi", "madc"},
    Form{"mul.wide", "u16 s16 u32 s32", "WTT", "", "mul_wide"},
    Form{"mad.wide", "u16 s16 u32 s32", "WTTW", "", "mad_wide"},
    Form{"add", kWhole, "TTT", "sat", "add"},
    Form{"sub", kWhole, "TTT", "sat", "sub"},
    Form{"mul", kWhole, "TTT", "lo hi", "mul"},
    Form{"mad", kWhole, "TTTT", "lo hi sat", "mad"},
    Form{"mul24", "u32 s32", "TTT", "lo hi", "mul24"},
    Form{"mad24", "u32 s32", "TTTT", "lo hi sat", "mad24"},
    Form{"sad", kWhole, "TTTT", "", "sad"},
    Form{"div", kWhole, "TTT", "", "div"},
    Form{"rem", kWhole, "TTT", "", "rem"},
    Form{"abs", "s16 s32 s64", "TT", "", "abs"},
    Form{"neg", "s16 s32 s64", "TT", "", "neg"},
    Form{"min", kWhole, "TTT", "relu", "min"},
    Form{"max", kWhole, "TTT", "relu", "max"},
    Form{"popc", "b32 b64", "UT", "", "popc"},
    Form{"clz", "b32 b64", "UT", "", "clz"},
    Form{"brev", "b32 b64", "TT", "", "brev"},
    Form{"bfind", kWide, "UT", "shiftamt", "bfind"},
    Form{"szext", "u32 s32", "TTU", "wrap clamp", "szext"},
    Form{"bmsk", "b32", "TUU", "wrap clamp", "bmsk"},
    Form{"bfe", kWide, "TTUU", "", "bfe"},
    Form{"bfi", "b32 b64", "TTTUU", "", "bfi"},
    // Bits.
    Form{"and", "pred b16 b32 b64", "TTT", "", "bit_and"},
    Form{"or", "pred b16 b32 b64", "TTT", "", "bit_or"},
    Form{"xor", "pred b16 b32 b64", "TTT", "", "bit_xor"},
    Form{"not", "pred b16 b32 b64", "TT", "", "bit_not"},
    Form{"cnot", kBits, "TT", "", "cnot"},
    Form{"shl", kBits, "TTU", "", "shl"},
    Form{"shr", "b16 b32 b64 u16 s16 u32 s32 u64 s64", "TTU", "", "shr"},
    Form{"shf.l", "b32", "TTTU", "wrap clamp", "shf_l"},
    Form{"shf.r", "b32", "TTTU", "wrap clamp", "shf_r"},
    Form{"lop3", "b32", "TTTTU", "", "lop3"},
    Form{"prmt", "b32", "TTTT", "", "prmt"},
    // Floating point.
    Form{"div.approx", "f32", "TTT", "ftz", "div_approx"},
    Form{"div.full", "f32", "TTT", "ftz", "div_full"},
    Form{"rcp.approx", "f32", "TT", "ftz", "rcp_approx"},
    Form{"rcp.approx", "f64", "TT", "ftz", "rcp_approx64"},
    Form{"sqrt.approx", "f32", "TT", "ftz", "sqrt_approx"},
    Form{"rsqrt.approx", "f32", "TT", "ftz", "rsqrt_approx"},
    Form{"rsqrt.approx", "f64", "TT", "ftz", "rsqrt_approx64"},
    Form{"sin.approx", "f32", "TT", "ftz", "sin_approx"},
    Form{"cos.approx", "f32", "TT", "ftz", "cos_approx"},
    Form{"lg2.approx", "f32", "TT", "ftz", "lg2_approx"},
    Form{"ex2.approx", "f32 f16 f16x2 bf16 bf16x2", "TT", "ftz", "ex2_approx"},
    Form{"tanh.approx", "f32 f16 f16x2 bf16 bf16x2", "TT", "", "tanh_approx"},
    Form{"add", "f32", "TTT", kDirected, "add"},
    Form{"sub", "f32", "TTT", kDirected, "sub"},
    Form{"mul", "f32", "TTT", kDirected, "mul"},
    Form{"fma", "f32", "TTTT", kDirected, "fma"},
    Form{"mad", "f32", "TTTT", kDirected, "fma"},
    Form{"div", "f32", "TTT", "rn rz rm rp ftz", "div"},
    Form{"rcp", "f32", "TT", "rn rz rm rp ftz", "rcp"},
    Form{"sqrt", "f32", "TT", "rn rz rm rp ftz", "sqrt"},
    Form{"add", "f64", "TTT", kRounding, "add"},
    Form{"sub", "f64", "TTT", kRounding, "sub"},
    Form{"mul", "f64", "TTT", kRounding, "mul"},
    Form{"fma", "f64", "TTTT", kRounding, "fma"},
    Form{"mad", "f64", "TTTT", kRounding, "fma"},
    Form{"div", "f64", "TTT", kRounding, "div"},
    Form{"rcp", "f64", "TT", kRounding, "rcp"},
    Form{"sqrt", "f64", "TT", kRounding, "sqrt"},
    Form{"add", kSmall, "TTT", "rn ftz sat", "add"},
    Form{"sub", kSmall, "TTT", "rn ftz sat", "sub"},
    Form{"mul", kSmall, "TTT", "rn ftz sat", "mul"},
    Form{"fma", kSmall, "TTTT", "rn ftz sat relu", "fma"},
    Form{"neg", "f32 f64 f16 f16x2 bf16 bf16x2", "TT", "ftz", "neg"},
    Form{"abs", "f32 f64 f16 f16x2 bf16 bf16x2", "TT", "ftz", "abs"},
    Form{"min", "f32 f64 f16 f16x2 bf16 bf16x2", "TTT", "ftz NaN relu", "min"},
    Form{"max", "f32 f64 f16 f16x2 bf16 bf16x2", "TTT", "ftz NaN relu", "max"},
    Form{"copysign", "f32 f64", "TTT", "", "copysign"},
    Form{"testp.finite", "f32 f64", "PT", "", "testp<Kind::finite"},
    Form{"testp.infinite", "f32 f64", "PT", "", "testp<Kind::infinite"},
    Form{"testp.number", "f32 f64", "PT", "", "testp<Kind::number"},
    Form{"testp.notanumber", "f32 f64", "PT", "", "testp<Kind::notanumber"},
    Form{"testp.normal", "f32 f64", "PT", "", "testp<Kind::normal"},
    Form{"testp.subnormal", "f32 f64", "PT", "", "testp<Kind::subnormal"},
};

bool fits(const Form& form, const Instruction& instruction) {
  if (instruction.modifiers.empty() || !has_word(form.types, instruction.modifiers.back())) return false;
  std::string_view required = form.name;
  const auto next_part = [&] {
    const size_t dot = std::min(required.find('.'), required.size());
    const std::string_view part = required.substr(0, dot);
    required.remove_prefix(std::min(dot + 1, required.size()));
    return part;
  };
  if (next_part() != instruction.opcode) return false;
  const auto end = instruction.modifiers.end() - 1;  // the type
  std::string_view needed = required;
  while (!required.empty())
    if (std::find(instruction.modifiers.begin(), end, next_part()) == end) return false;
  return std::all_of(instruction.modifiers.begin(), end, [&](const std::string& modifier) {
    const size_t at = needed.find(modifier);
    const bool is_needed = at != std::string_view::npos && (at == 0 || needed[at - 1] == '.') &&
                           (at + modifier.size() == needed.size() || needed[at + modifier.size()] == '.');
    return is_needed || has_word(form.modifiers, modifier);
  });
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

bool has_word(std::string_view words, std::string_view word) {
  const auto all = words_of(words);
  return std::find(all.begin(), all.end(), word) != all.end();
}

bool has(const Instruction& instruction, std::string_view modifier) {
  const auto& all = instruction.modifiers;
  return std::find(all.begin(), all.end(), modifier) != all.end();
}

bool has_only(const Instruction& instruction, std::string_view words) {
  const auto& all = instruction.modifiers;
  return std::all_of(all.begin(), all.end(), [&](const std::string& each) { return has_word(words, each); });
}

const Form* form_of(const Instruction& instruction) {
  const auto found =
      std::find_if(kForms.begin(), kForms.end(), [&](const Form& form) { return fits(form, instruction); });
  return found == kForms.end() ? nullptr : &*found;
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
