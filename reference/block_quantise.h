// How blocks are made of numbers: the exact scale of a block, the codes that follow from it, and which other codes and
// scales rounding errors may make right.
//
// Kernels compute in f32, so a quotient next to a threshold may fall on either side of it: a code is right if a number
// within 8 f32 ulp of the exact one rounds to it, and a scale if it is a rounding of a number within 2. Among elements
// that are equal except for their sign, either may be the one that decides.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "harness/op/watch.h"
#include "reference/block_format.h"

namespace assay::reference {

using BlockBytes = std::span<uint8_t>;

inline constexpr double kQuotientUlps = 8, kScaleUlps = 2;

inline void put_little_end(BlockBytes block, size_t at, size_t bytes, uint64_t bits) {
  for (size_t b = 0; b < bytes; ++b) block[at + b] = static_cast<uint8_t>(bits >> (8 * b));
}
inline void put_f16(BlockBytes block, size_t at, double value) {
  put_little_end(block, at, 2, from_double(DType::f16, value));
}

inline DType scale_dtype(const BlockFormat& format) { return format == kQ8_K ? DType::f32 : DType::f16; }

// Codes as they are stored, of the formats that have a quantiser.
struct CodeRange {
  int least = 0, largest = 0;
};
inline CodeRange code_range(const BlockFormat& format) {
  if (format == kQ8_0 || format == kQ8_K) return {-127, 127};
  return {0, format.has_fifth ? 31 : 15};
}

// The stored code of element i, which element_of() gives less its zero.
inline int code_of(const BlockFormat& format, Block block, int64_t i) {
  return element_of(format, block, i).code + format.zero;
}

inline void put_code(const BlockFormat& format, BlockBytes block, int64_t i, int code) {
  const auto at = static_cast<size_t>(i);
  if (format == kQ8_0 || format == kQ8_K) {
    block[at + (format == kQ8_K ? 4 : 2)] = static_cast<uint8_t>(code);
    return;
  }
  const size_t fifth_at = format.has_offset ? 4 : 2, codes_at = fifth_at + (format.has_fifth ? 4 : 0);
  const int shift = at < 16 ? 0 : 4;
  uint8_t& byte = block[codes_at + at % 16];
  byte = static_cast<uint8_t>((byte & ~(15 << shift)) | (code & 15) << shift);
  if (!format.has_fifth) return;
  const uint32_t fifths = u32_at(block, fifth_at) & ~(uint32_t{1} << at);
  put_little_end(block, fifth_at, 4, fifths | static_cast<uint32_t>(code >> 4 & 1) << at);
}

// The exact scale and minimum of a block's elements, before they are rounded; d = 0 makes every code mean 0.
struct BlockScale {
  double d = 0, m = 0;
};

// decides: +1 or -1, the sign of the element of the largest size that decides, where there are two.
inline BlockScale scale_of(const BlockFormat& format, std::span<const double> x, int decides) {
  double least = x[0], largest = x[0];
  for (const double each : x) {
    least = std::fmin(least, each);
    largest = std::fmax(largest, each);
  }
  if (format.has_offset) return {(largest - least) / code_range(format).largest, least};
  const double size = std::fmax(std::fabs(least), std::fabs(largest));
  if (format == kQ8_0) return {size / 127, 0};
  const double signed_size = decides > 0 ? size : -size;
  return {signed_size / (format == kQ8_K ? -127 : -format.zero), 0};
}

// The sign of the first element of the largest size.
inline int deciding_sign(std::span<const double> x) {
  double size = 0;
  int sign = 1;
  for (const double each : x)
    if (std::fabs(each) > size) {
      size = std::fabs(each);
      sign = each < 0 ? -1 : 1;
    }
  return sign;
}

inline bool all_finite(std::span<const double> x) {
  for (const double each : x)
    if (!std::isfinite(each)) return false;
  return true;
}

// The codes that are right for x in a block of this scale, and the one that exact arithmetic gives.
struct RightCodes {
  int least = 0, exact = 0, largest = 0;
};
inline RightCodes right_codes(const BlockFormat& format, const BlockScale& scale, double x) {
  if (scale.d == 0) return {format.zero, format.zero, format.zero};
  const CodeRange range = code_range(format);
  const auto clamped = [&](double code) {
    return static_cast<int>(std::fmin(std::fmax(code, range.least), range.largest));
  };
  const double quotient = (x - scale.m) / scale.d, number = quotient + format.zero;
  const double truncated = range.least < 0 ? number : number + 0.5;  // kernels cut off the fraction of this one
  const double margin = kQuotientUlps * ulp(DType::f32, std::fmax(std::fabs(quotient), std::fabs(truncated)));
  return {clamped(std::ceil(number - margin - 0.5)), clamped(std::floor(number + 0.5)),
          clamped(std::floor(number + margin + 0.5))};
}

// Whether `got`, as stored, is a rounding of a number within two f32 ulp of the exact scale.
inline bool is_right_scale(const BlockFormat& format, double exact, double got) {
  const DType dtype = scale_dtype(format);
  const double margin = kScaleUlps * ulp(DType::f32, exact);
  const auto rounded = [&](double value) { return to_double(dtype, from_double(dtype, value)); };
  return got >= rounded(exact - margin) && got <= rounded(exact + margin);
}

// bsums of Q8_K: sums of 16 codes each.
inline void put_sums(BlockBytes block) {
  for (size_t group = 0; group < 16; ++group) {
    int sum = 0;
    for (size_t i = 0; i < 16; ++i) sum += i8_at(block, 4 + group * 16 + i);
    put_little_end(block, 260 + 2 * group, 2, static_cast<uint64_t>(sum));
  }
}

inline void put_scale(const BlockFormat& format, BlockBytes block, const BlockScale& scale) {
  put_little_end(block, 0, size_of(scale_dtype(format)), from_double(scale_dtype(format), scale.d));
  if (format.has_offset) put_f16(block, 2, scale.m);
}

// The block of x[0 … elements) in exact arithmetic, rounded where it is stored. An element that is no finite number
// makes the scale NaN.
inline void quantise(const BlockFormat& format, std::span<const double> x, BlockBytes block) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::fill(block.begin(), block.end(), uint8_t{0});
  const bool finite = all_finite(x);
  const BlockScale scale = finite ? scale_of(format, x, deciding_sign(x)) : BlockScale{kNan, kNan};
  if (scale_dtype(format) == DType::f16) watch(Watched::stored_scale, std::fabs(scale.d));
  put_scale(format, block, scale);
  for (int64_t i = 0; i < format.elements; ++i)
    put_code(format, block, i, finite ? right_codes(format, scale, x[static_cast<size_t>(i)]).exact : format.zero);
  if (format == kQ8_K) put_sums(block);
}

}  // namespace assay::reference
