// Blocks of ordinary data for every format, as inputs of the ops that read them.
//
// Q4_K and Q6_K have no quantiser in the contract: GGML searches for their scales offline. This is the plain way, good
// to a step or two; it fills every field of a block.
#pragma once

#include <cmath>
#include <span>

#include "reference/block_quantise.h"

namespace assay::reference {

inline int nearest_code(double quotient, int least, int largest) {
  return static_cast<int>(std::fmin(std::fmax(std::nearbyint(quotient), least), largest));
}

// x / y, and 0 where nothing can be divided by y.
inline double quotient_or_0(double x, double y) { return y == 0 ? 0 : x / y; }

inline void put_q4_k_scale(BlockBytes block, size_t j, GroupScale group) {
  const BlockBytes s = block.subspan(4, 12);
  if (j < 4) {
    s[j] = static_cast<uint8_t>(s[j] | group.scale);
    s[j + 4] = static_cast<uint8_t>(s[j + 4] | group.minimum);
    return;
  }
  s[j + 4] = static_cast<uint8_t>((group.scale & 15) | (group.minimum & 15) << 4);
  s[j - 4] = static_cast<uint8_t>(s[j - 4] | (group.scale >> 4) << 6);
  s[j] = static_cast<uint8_t>(s[j] | (group.minimum >> 4) << 6);
}

// Codes as they are stored, into a block of zeros.
inline void put_q4_k_code(BlockBytes block, size_t i, int code) {
  uint8_t& byte = block[16 + i / 64 * 32 + i % 32];
  byte = static_cast<uint8_t>(byte | code << (i / 32 % 2 * 4));
}
inline void put_q6_k_code(BlockBytes block, size_t i, int code) {
  const size_t half = i / 128, quarter = i % 128 / 32, l = i % 32;
  uint8_t &low = block[half * 64 + quarter % 2 * 32 + l], &high = block[128 + half * 32 + l];
  low = static_cast<uint8_t>(low | (code & 15) << (quarter < 2 ? 0 : 4));
  high = static_cast<uint8_t>(high | (code >> 4) << (2 * quarter));
}

// Each group of 32 from its minimum, or 0 if that is smaller, to its maximum in 15 steps; both in 63rds of the largest.
inline void pack_q4_k(std::span<const double> x, BlockBytes block) {
  std::array<double, 8> step{}, depth{};
  double step_max = 0, depth_max = 0;
  for (size_t j = 0; j < 8; ++j) {
    double least = 0, largest = 0;
    for (const double each : x.subspan(32 * j, 32)) {
      least = std::fmin(least, each);
      largest = std::fmax(largest, each);
    }
    depth[j] = -least;
    step[j] = (largest - least) / 15;
    depth_max = std::fmax(depth_max, depth[j]);
    step_max = std::fmax(step_max, step[j]);
  }
  put_f16(block, 0, step_max / 63);
  put_f16(block, 2, depth_max / 63);
  const double d = f16_at(block, 0), m = f16_at(block, 2);
  for (size_t j = 0; j < 8; ++j) {
    const GroupScale group{nearest_code(quotient_or_0(step[j], d), 0, 63),
                           nearest_code(quotient_or_0(depth[j], m), 0, 63)};
    put_q4_k_scale(block, j, group);
    for (size_t l = 0; l < 32; ++l) {
      const int code = nearest_code(quotient_or_0(x[32 * j + l] + m * group.minimum, d * group.scale), 0, 15);
      put_q4_k_code(block, 32 * j + l, code);
    }
  }
}

// Each group of 16 in steps of a 32nd of its largest size; those in 127ths of the largest.
inline void pack_q6_k(std::span<const double> x, BlockBytes block) {
  std::array<double, 16> step{};
  double step_max = 0;
  for (size_t j = 0; j < 16; ++j) {
    const auto group = x.subspan(16 * j, 16);
    for (const double each : group) step[j] = std::fmax(step[j], std::fabs(each) / 32);
    if (deciding_sign(group) > 0) step[j] = -step[j];  // so that code 0, which means -32 steps, is in use
    step_max = std::fmax(step_max, std::fabs(step[j]));
  }
  put_f16(block, 208, step_max / 127);
  const double d = f16_at(block, 208);
  for (size_t i = 0; i < 256; ++i) {
    const int factor = nearest_code(quotient_or_0(step[i / 16], d), -128, 127);
    block[192 + i / 16] = static_cast<uint8_t>(factor);
    put_q6_k_code(block, i, nearest_code(quotient_or_0(x[i], d * factor), -32, 31) + kQ6_K.zero);
  }
}

// Largest size of elements that leaves every scale and minimum of a block finite.
inline double pack_magnitude(const BlockFormat& format) {
  if (format == kQ8_K) return max_finite(DType::f32);
  if (format.has_offset) return max_finite(DType::f16);
  return max_finite(DType::f16) * (format == kQ8_0 ? 127 : format.zero);
}

// The block of x[0 … elements). An element that is no finite number makes every value of the block NaN.
inline void pack(const BlockFormat& format, std::span<const double> x, BlockBytes block) {
  if (format != kQ4_K && format != kQ6_K) return quantise(format, x, block);
  std::fill(block.begin(), block.end(), uint8_t{0});
  if (!all_finite(x)) return put_f16(block, format == kQ4_K ? 0 : 208, NAN);
  format == kQ4_K ? pack_q4_k(x, block) : pack_q6_k(x, block);
}

// Integers from -8 to 7 in steps of 1: the block means them exactly, in every format of weights.
inline void pack_integers(const BlockFormat& format, std::span<const double> x, BlockBytes block) {
  const int zero = format.has_offset ? 8 : format.zero;  // the code that means 0
  std::fill(block.begin(), block.end(), uint8_t{0});
  put_f16(block, format == kQ6_K ? 208 : 0, 1);
  if (format.has_offset) put_f16(block, 2, format == kQ4_K ? 1 : -8);
  for (size_t j = 0; format == kQ4_K && j < 8; ++j) put_q4_k_scale(block, j, {1, 8});
  for (size_t j = 0; format == kQ6_K && j < 16; ++j) block[192 + j] = 1;
  for (size_t i = 0; i < x.size(); ++i) {
    const int code = nearest_code(x[i], -8, 7) + zero;
    if (format == kQ4_K)
      put_q4_k_code(block, i, code);
    else if (format == kQ6_K)
      put_q6_k_code(block, i, code);
    else
      put_code(format, block, static_cast<int64_t>(i), code);
  }
}

}  // namespace assay::reference
