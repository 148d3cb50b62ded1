// The output of a right quantiser that decides as a given block does wherever it may.
//
// Codes and scales are discrete, so there is no error to hold against a budget. Instead each decision is taken from the
// block under judgement if it is among the right ones, and from exact arithmetic if not; then the bytes must agree.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "reference/block_quantise.h"

namespace assay::reference {

struct Followed {
  std::vector<uint8_t> block;
  int64_t decisions = 0;  // that are right and not those of exact arithmetic
};

// Takes the number of `bytes` bytes at `at` from `got` where it equals what is there: the sign of 0 is free.
inline void take_sign_of_zero(DType dtype, Block got, size_t at, BlockBytes right) {
  const bool zero = dtype == DType::f32 ? f32_at(got, at) == 0 && f32_at(right, at) == 0
                                        : f16_at(got, at) == 0 && f16_at(right, at) == 0;
  if (zero)
    std::copy_n(got.begin() + static_cast<int64_t>(at), size_of(dtype), right.begin() + static_cast<int64_t>(at));
}

inline double stored_scale(const BlockFormat& format, Block block) {
  return format == kQ8_K ? f32_at(block, 0) : f16_at(block, 0);
}

// The sign that decides is given.
inline Followed followed_with(const BlockFormat& format, std::span<const double> x, Block got, int sign) {
  Followed result{std::vector<uint8_t>(static_cast<size_t>(format.bytes))};
  const BlockBytes right(result.block);
  const BlockScale scale = scale_of(format, x, sign);
  put_scale(format, right, scale);
  const double got_d = stored_scale(format, got);
  if (got_d != stored_scale(format, right) && is_right_scale(format, scale.d, got_d)) {
    put_scale(format, right, {got_d, scale.m});
    ++result.decisions;
  }
  take_sign_of_zero(scale_dtype(format), got, 0, right);
  if (format.has_offset) take_sign_of_zero(DType::f16, got, 2, right);
  for (int64_t i = 0; i < format.elements; ++i) {
    const RightCodes codes = right_codes(format, scale, x[static_cast<size_t>(i)]);
    const int code = code_of(format, got, i);
    const bool other = code != codes.exact && code >= codes.least && code <= codes.largest;
    put_code(format, right, i, other ? code : codes.exact);
    result.decisions += other;
  }
  if (format == kQ8_K) put_sums(right);
  return result;
}

// Whether the block has no value that is a number.
inline bool is_all_nonfinite(const BlockFormat& format, Block block) {
  for (int64_t i = 0; i < format.elements; ++i)
    if (std::isfinite(decode(format, block, i))) return false;
  return true;
}

inline int64_t differing(Block a, Block b) {
  int64_t count = 0;
  for (size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
  return count;
}

// Among elements that are equal except for their sign, the one that leaves fewer wrong bytes is taken to have decided.
// For a block with an element that is no finite number, every block without a finite value is right.
inline Followed followed(const BlockFormat& format, std::span<const double> x, Block got) {
  if (!all_finite(x)) {
    Followed result{std::vector<uint8_t>(static_cast<size_t>(format.bytes))};
    quantise(format, x, result.block);
    if (is_all_nonfinite(format, got)) result.block.assign(got.begin(), got.end());
    return result;
  }
  const int sign = deciding_sign(x);
  Followed first = followed_with(format, x, got, sign);
  if (first.decisions == 0 && differing(first.block, got) == 0) return first;
  const double size =
      std::fabs(*std::max_element(x.begin(), x.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); }));
  if (std::find(x.begin(), x.end(), -sign * size) == x.end()) return first;
  Followed second = followed_with(format, x, got, -sign);
  second.decisions += 1;
  return differing(second.block, got) < differing(first.block, got) ? second : first;
}

}  // namespace assay::reference
