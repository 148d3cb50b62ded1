// Bits of half and bfloat16: exact widening, correctly rounded narrowing, and CUDA's own choices about NaN.
//
// CUDA narrows every NaN to 0x7fff, and widens a half NaN to 0x7fffffff; small_float_test.cpp compares all of this with
// NVIDIA's headers.
#pragma once

#include <cstdint>

#include "harness/simt/include/simt/math.h"

namespace assay::simt {

// A finite number has become an infinity: raises the exception that hardware would, for runtime/nonfinite.h.
inline void raise_overflow() {
  float huge = 0x1.fffffep127f;
#if defined(__x86_64__)
  asm volatile("mulss %0, %0" : "+x"(huge));
#endif
}

struct HalfFormat {
  static constexpr uint16_t kInfinity = 0x7c00;
  static float widen(uint16_t h) {
    const uint32_t sign = static_cast<uint32_t>(h & 0x8000) << 16, magnitude = h & 0x7fffu;
    if (magnitude > 0x7c00) return __uint_as_float(0x7fffffff);
    if (magnitude == 0x7c00) return __uint_as_float(sign | 0x7f800000);
    if (magnitude >= 0x0400) return __uint_as_float(sign | ((magnitude << 13) + 0x38000000));
    // Subnormal: give it the exponent of 2^-14, then take 2^-14 away.
    const float value = __uint_as_float((magnitude << 13) + 0x38800000) - 0x1p-14f;
    return __uint_as_float(__float_as_uint(value) | sign);
  }
  static uint16_t narrow(float f) {
    const uint32_t bits = __float_as_uint(f), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000) return 0x7fff;
    if (magnitude >= 0x477ff000) {  // 65520 and more
      if (magnitude < 0x7f800000) raise_overflow();
      return static_cast<uint16_t>(sign | 0x7c00);
    }
    if (magnitude < 0x38800000)  // below 2^-14 the addition rounds to multiples of 2^-24
      return static_cast<uint16_t>(sign | (__float_as_uint(__uint_as_float(magnitude) + 0.5f) - 0x3f000000));
    return static_cast<uint16_t>(sign | ((magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13));
  }
};

struct Bfloat16Format {
  static constexpr uint16_t kInfinity = 0x7f80;
  static float widen(uint16_t b) { return __uint_as_float(static_cast<uint32_t>(b) << 16); }
  static uint16_t narrow(float f) {
    const uint32_t bits = __float_as_uint(f);
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fff;
    return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
};

// The next representable number away from or towards zero is a step of the bits.
template <class Format>
inline uint16_t narrow_down(float f) {
  const uint16_t nearest = Format::narrow(f);
  if (!(Format::widen(nearest) > f)) return nearest;
  return static_cast<uint16_t>(nearest == 0 ? 0x8001 : (nearest & 0x8000) != 0 ? nearest + 1 : nearest - 1);
}
template <class Format>
inline uint16_t narrow_up(float f) {
  const uint16_t nearest = Format::narrow(f);
  if (!(Format::widen(nearest) < f)) return nearest;
  return static_cast<uint16_t>(nearest == 0x8000 ? 0x0001 : (nearest & 0x8000) != 0 ? nearest - 1 : nearest + 1);
}
template <class Format>
inline uint16_t narrow_to_zero(float f) {
  return (__float_as_uint(f) & 0x80000000) != 0 ? narrow_up<Format>(f) : narrow_down<Format>(f);
}

// Rounds to float so that a second rounding, to fewer bits, gives what one rounding would have given: the truncated
// value, with its last bit set when anything was lost ("round to odd").
inline float to_float_odd(double x) {
  const float truncated = __double2float_rz(x);
  if (static_cast<double>(truncated) == x || x != x) return truncated;
  return __uint_as_float(__float_as_uint(truncated) | 1);
}
inline double to_double_odd(uint64_t x) {
  const int lost = x >> 53 == 0 ? 0 : 11 - __builtin_clzll(x);
  const uint64_t kept = x >> lost;
  return static_cast<double>(static_cast<uint64_t>((kept | (kept << lost != x ? 1 : 0)) << lost));
}
// a * b + c, rounded to odd in double: a * b is exact for factors of at most 26 bits, and the error of the sum tells
// whether anything was lost.
inline double fma_odd(double a, double b, double c) {
  const double product = a * b, sum = product + c;
  const double part = sum - product, error = (product - (sum - part)) + (c - part);
  if (!(error != 0) || sum - sum != 0) return sum;
  const auto bits = static_cast<uint64_t>(__double_as_longlong(sum));
  if ((bits & 1) != 0) return sum;
  return __longlong_as_double(static_cast<long long>((error > 0) == (sum > 0) ? bits + 1 : bits - 1));
}

template <class Format, class Int>
inline uint16_t narrow_integer(Int x) {
  const bool negative = x < 0;
  const uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
  const float f = to_float_odd(to_double_odd(magnitude));
  return Format::narrow(negative ? -f : f);
}

}  // namespace assay::simt
