// The block-quantised formats, byte for byte as GGML lays them out: what a block holds, and what its elements mean.
//
// A tensor of blocks is u8 [rows, K / elements * bytes]: the blocks of a row side by side, rows too. A block begins at
// any even address, so its numbers are put together from bytes, little end first. block_quantise.h is the way back.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/check.h"
#include "harness/op/tracked.h"
#include "harness/tensor/dtype.h"

namespace assay::reference {

struct BlockFormat {
  std::string_view name;
  int64_t elements = 0;     // of a block
  int64_t bytes = 0;        // of a block
  bool has_offset = false;  // values are a product plus an offset, q4_1's d q + m
  bool has_fifth = false;   // a fifth bit of each code lies apart from its nibble
  int zero = 0;             // the code that means 0 where codes have no sign

  bool operator==(const BlockFormat& other) const { return name == other.name; }
};

inline constexpr BlockFormat kQ4_0{"q4_0", 32, 18, false, false, 8};
inline constexpr BlockFormat kQ4_1{"q4_1", 32, 20, true, false, 0};
inline constexpr BlockFormat kQ5_0{"q5_0", 32, 22, false, true, 16};
inline constexpr BlockFormat kQ5_1{"q5_1", 32, 24, true, true, 0};
inline constexpr BlockFormat kQ8_0{"q8_0", 32, 34};
inline constexpr BlockFormat kQ4_K{"q4_k", 256, 144, true};
inline constexpr BlockFormat kQ6_K{"q6_k", 256, 210, false, false, 32};
inline constexpr BlockFormat kQ8_K{"q8_k", 256, 292};  // of activations only
inline constexpr std::array kBlockFormats{kQ4_0, kQ4_1, kQ5_0, kQ5_1, kQ8_0, kQ4_K, kQ6_K, kQ8_K};

// Aborts for a name of none of them: contracts list the names as an attribute's choices.
inline BlockFormat block_format(std::string_view name) {
  const auto found = std::find_if(kBlockFormats.begin(), kBlockFormats.end(),
                                  [&](const BlockFormat& format) { return format.name == name; });
  ASSAY_CHECK(found != kBlockFormats.end(), "no block format is named '" + std::string(name) + "'");
  return *found;
}

// The bytes of a row of k elements; k is a multiple of the block's.
inline int64_t row_bytes(const BlockFormat& format, int64_t k) { return k / format.elements * format.bytes; }

using Block = std::span<const uint8_t>;

inline double f16_at(Block block, size_t at) {
  return to_double(DType::f16, static_cast<uint64_t>(block[at] | block[at + 1] << 8));
}
inline uint32_t u32_at(Block block, size_t at) {
  return block[at] | uint32_t{block[at + 1]} << 8 | uint32_t{block[at + 2]} << 16 | uint32_t{block[at + 3]} << 24;
}
inline double f32_at(Block block, size_t at) { return to_double(DType::f32, u32_at(block, at)); }
inline int i8_at(Block block, size_t at) { return static_cast<int8_t>(block[at]); }

// Element i is d · factor · code + m · offset_factor; without the last product where the format has no offsets.
struct BlockElement {
  double d = 0;
  int factor = 1;  // of a group of elements within the block
  int code = 0;    // less what means 0
  double m = 0;    // of q4_k: -dmin
  int offset_factor = 0;
};

// Q4_0, Q4_1, Q5_0, Q5_1: byte j of the codes holds element j in its low and element j + 16 in its high half.
inline BlockElement split_half_element(const BlockFormat& format, Block block, int64_t i) {
  const auto at = static_cast<size_t>(i);
  const size_t fifth_at = format.has_offset ? 4 : 2, codes_at = fifth_at + (format.has_fifth ? 4 : 0);
  const int byte = block[codes_at + at % 16];
  int code = at < 16 ? byte & 15 : byte >> 4;
  if (format.has_fifth) code |= static_cast<int>(u32_at(block, fifth_at) >> at & 1) << 4;
  BlockElement element{.d = f16_at(block, 0), .code = code - format.zero};
  if (format.has_offset) {
    element.m = f16_at(block, 2);
    element.offset_factor = 1;
  }
  return element;
}

// The 6-bit scale and minimum of group j of 32 elements of Q4_K, in 12 bytes s: those of the last four groups have
// their high two bits above the first four's.
struct GroupScale {
  int scale = 0, minimum = 0;
};
inline GroupScale q4_k_scale(Block block, size_t j) {
  const Block s = block.subspan(4, 12);
  if (j < 4) return {s[j] & 63, s[j + 4] & 63};
  return {(s[j + 4] & 15) | (s[j - 4] >> 6) << 4, s[j + 4] >> 4 | (s[j] >> 6) << 4};
}

inline BlockElement q4_k_element(Block block, int64_t i) {
  const auto at = static_cast<size_t>(i);
  const GroupScale group = q4_k_scale(block, at / 32);
  const int byte = block[16 + at / 64 * 32 + at % 32];
  return {.d = f16_at(block, 0),
          .factor = group.scale,
          .code = at % 64 < 32 ? byte & 15 : byte >> 4,
          .m = -f16_at(block, 2),
          .offset_factor = group.minimum};
}

// Two halves of 128 elements; in each, the low four bits of elements l and l + 64 share a byte, and the high two bits
// of l, l + 32, l + 64 and l + 96 another.
inline BlockElement q6_k_element(Block block, int64_t i) {
  const auto at = static_cast<size_t>(i);
  const size_t half = at / 128, quarter = at % 128 / 32, l = at % 32;
  const int low = block[half * 64 + quarter % 2 * 32 + l], high = block[128 + half * 32 + l];
  const int code = (quarter < 2 ? low & 15 : low >> 4) | (high >> (2 * quarter) & 3) << 4;
  return {.d = f16_at(block, 208), .factor = i8_at(block, 192 + at / 16), .code = code - kQ6_K.zero};
}

inline BlockElement element_of(const BlockFormat& format, Block block, int64_t i) {
  if (format == kQ4_K) return q4_k_element(block, i);
  if (format == kQ6_K) return q6_k_element(block, i);
  if (format == kQ8_0) return {.d = f16_at(block, 0), .code = i8_at(block, 2 + static_cast<size_t>(i))};
  if (format == kQ8_K) return {.d = f32_at(block, 0), .code = i8_at(block, 4 + static_cast<size_t>(i))};
  return split_half_element(format, block, i);
}

// The value of an element in a reference's scalar. In f32 arithmetic every product except Q8_K's is exact, and what is
// left to round, a sum or that product, is rounded once.
template <class S>
S value_of(const BlockFormat& format, const BlockElement& element) {
  const S product = S(element.d) * S(static_cast<double>(element.factor)) * S(static_cast<double>(element.code));
  if (!format.has_offset) return product;
  return product + S(element.m) * S(static_cast<double>(element.offset_factor));
}

// In double, where nothing is rounded at all.
inline double decode(const BlockFormat& format, Block block, int64_t i) {
  return value_of<double>(format, element_of(format, block, i));
}

}  // namespace assay::reference
