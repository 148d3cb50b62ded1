// Classes follow from opcode, space and type, in the order of the PTX ISA 9.0.
#include "harness/ptx/instruction_class.h"

#include <algorithm>
#include <charconv>

#include "harness/ptx/forms.h"

namespace assay::ptx {
namespace {

constexpr std::string_view kHalf = "f16 f16x2 bf16 bf16x2";
constexpr std::string_view kFloating =
    "f16 f16x2 bf16 bf16x2 f32 f64 tf32 e4m3x2 e5m2x2 e4m3 e5m2 ue8m0x2 e2m1x2 f32x2";

bool is_one_of(const Instruction& instruction, std::string_view modifiers) {
  return std::ranges::any_of(instruction.modifiers, [&](const std::string& each) { return has_word(modifiers, each); });
}

// The class of arithmetic follows from its type, that of a comparison from its last type.
Counted by_type(const Instruction& instruction) {
  const std::string type = instruction.modifiers.empty() ? "" : instruction.modifiers.back();
  if (has_word(kHalf, type)) return Counted::fp16;
  if (type == "f32" || type == "f32x2") return Counted::fp32;
  return type == "f64" ? Counted::fp64 : Counted::integer;
}

Counted of_access(const Instruction& instruction) {
  if (is_one_of(instruction, "param param::entry param::func const")) return Counted::move;
  if (is_one_of(instruction, "shared shared::cta shared::cluster") && instruction.opcode != "cp")
    return Counted::shared;
  return is_one_of(instruction, "local") ? Counted::local : Counted::global;
}

Counted of_copy(const Instruction& instruction) {
  return is_one_of(instruction, "commit_group wait_group wait_all mbarrier") ? Counted::control : Counted::global;
}

Counted of_conversion(const Instruction& instruction) {
  if (is_one_of(instruction, kFloating)) return Counted::conversion;
  return is_one_of(instruction, "sat pack") ? Counted::integer : Counted::move;
}

// "m16n8k16": 16 · 8 · 16 products, and as many sums
int64_t operations_of(const Instruction& instruction) {
  for (const std::string& modifier : instruction.modifiers) {
    int64_t product = 2;
    const char *at = modifier.data(), *const end = at + modifier.size();
    for (const char letter : {'m', 'n', 'k'}) {
      int64_t extent = 0;
      if (at == end || *at != letter) product = 0;
      const auto [behind, error] = std::from_chars(at + (at != end ? 1 : 0), end, extent);
      if (error != std::errc()) product = 0;
      product *= extent;
      at = behind;
    }
    if (product == 0 || at != end) continue;
    // Legacy f16 products of quarters of a warp: four at once.
    const bool quarters = modifier == "m8n8k4" && is_one_of(instruction, "f16");
    return quarters ? 4 * product : product;
  }
  return 0;
}

// The class by the type of A and B: D and C are the first and last of four types, or the only ones where A and B are
// f16.
Counted operands_of(const Instruction& instruction) {
  static constexpr std::string_view kTypes = "f16 bf16 tf32 f32 f64 s32 s8 u8 s4 u4 b1 e4m3 e5m2";
  std::vector<std::string> types;
  for (const std::string& modifier : instruction.modifiers)
    if (has_word(kTypes, modifier)) types.push_back(modifier);
  const std::string of = types.size() == 4 ? types[1] : "f16";
  if (of == "f16" || of == "bf16") return Counted::tensor_f16;
  if (of == "tf32") return Counted::tensor_tf32;
  if (of == "e4m3" || of == "e5m2") return Counted::tensor_f8;
  if (of == "s8" || of == "u8") return Counted::tensor_i8;
  return of == "f64" ? Counted::tensor_f64 : Counted::count;
}

}  // namespace

Counted class_of(const Instruction& instruction) {
  const std::string& opcode = instruction.opcode;
  if (has_word("ld ldu st atom red ldmatrix stmatrix prefetch prefetchu discard applypriority", opcode))
    return opcode.ends_with("matrix") ? Counted::shared : of_access(instruction);
  if (has_word("tex tld4 suld sust", opcode)) return Counted::global;
  if (has_word("txq suq", opcode)) return Counted::move;
  if (opcode == "cp") return of_copy(instruction);
  if (opcode == "mma") return Counted::tensor;
  if (opcode == "wmma") return is_one_of(instruction, "mma") ? Counted::tensor : of_access(instruction);
  if (has_word("shfl redux movmatrix", opcode)) return Counted::shuffle;
  if (has_word("bar barrier mbarrier membar fence", opcode)) return Counted::barrier;
  if (has_word("bra brx call ret exit trap vote match activemask elect nanosleep griddepcontrol pmevent brkpt", opcode))
    return Counted::control;
  if (has_word("mov cvta isspacep createpolicy", opcode)) return Counted::move;
  if (opcode == "cvt") return of_conversion(instruction);
  if (has_word("rsqrt sin cos lg2 ex2 tanh sqrt rcp", opcode)) return Counted::special;
  if (opcode == "div") return by_type(instruction) == Counted::integer ? Counted::integer : Counted::special;
  if (has_word("neg abs", opcode)) return by_type(instruction) == Counted::integer ? Counted::integer : Counted::move;
  if (has_word("selp copysign", opcode)) return Counted::integer;
  return by_type(instruction);
}

InstructionCounts counts_of(const Instruction& instruction) {
  InstructionCounts counts;
  const Counted of = class_of(instruction);
  counts[of] = 1;
  if (of != Counted::tensor) return counts;
  if (const Counted operands = operands_of(instruction); operands != Counted::count)
    counts[operands] = operations_of(instruction);
  return counts;
}

}  // namespace assay::ptx
