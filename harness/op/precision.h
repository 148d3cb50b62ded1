// Declarations of a variant about its arithmetic, and their meaning in numbers. Nothing here is a tolerance: a declared
// precision adds the errors that it stands for, where they arise, and no others.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// The precision of a kernel's arithmetic.
//   f32            every operation rounds to f32
//   tf32           as f32, but what enters a matrix product is rounded to the nearest number of 11 significant bits
//   bf16_operands  as tf32, to the nearest bf16
//   f16_operands   as tf32, to the nearest f16; any result is right where one of them passes 65504
//   f16            every operation rounds to f16, sums too; any result is right where a partial sum may pass 65504
//   bf16           every operation rounds to bf16, sums too
enum class Accumulate : uint8_t { f32, tf32, bf16_operands, f16_operands, f16, bf16 };

// Numbers as they enter a matrix product: half their distance around 1 (0: they enter as they are), half the smallest
// subnormal, and the largest.
struct OperandFormat {
  double unit = 0;
  double smallest = 0;
  double largest = std::numeric_limits<double>::infinity();
};

// That of a precision which says what enters a matrix product, and nothing of other operations.
constexpr std::optional<OperandFormat> operands_of(Accumulate accumulate) {
  if (accumulate == Accumulate::tf32) return OperandFormat{0x1p-11, 0x1p-137};
  if (accumulate == Accumulate::bf16_operands) return OperandFormat{0x1p-8, 0x1p-134};
  if (accumulate == Accumulate::f16_operands) return OperandFormat{0x1p-11, 0x1p-25, 65504};
  return std::nullopt;
}

std::string_view name(Accumulate accumulate);
std::optional<Accumulate> parse_accumulate(std::string_view text);

// An intermediate result that kernels round to the case's dtype: what ReferenceIo::rounding() takes the name of.
struct NamedRounding {
  std::string name;    // as an adapter writes it: rounds = ["p"]
  std::string states;  // what is rounded, and where to: one sentence
  // An input of that name which a kernel computes itself, in f32: its adapter says so, and no hint does.
  bool is_computed = false;
};

// The same in numbers: the unit roundoff of a format, half its distance between neighbours around 1, and half its
// smallest subnormal.
struct Precision {
  double unit = 0x1p-24;
  double smallest = 0x1p-150;
  double largest = std::numeric_limits<double>::infinity();  // what is beyond it on the way is infinity to the kernel;
                                                             // of f32 data are such that nothing is
  std::vector<std::string> rounds = {};  // intermediates that are rounded to the format of the next two
  double rounds_unit = 0;
  double rounds_smallest = 0;
  OperandFormat operands = {};
  bool ftz = false;        // f32 subnormals become 0 wherever they are read or made
  bool fast_math = false;  // exp, log, sin, cos, division and roots by the intrinsics that -use_fast_math takes
  double mask_value = -std::numeric_limits<double>::infinity();  // of a masked score
};

}  // namespace assay
