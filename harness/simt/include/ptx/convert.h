// cvt between all types: PTX ISA 9.0, "Data Movement and Conversion Instructions: cvt".
#pragma once

#include "harness/simt/include/ptx/floating.h"
#include "harness/simt/include/ptx/integer.h"

namespace assay::ptx {

// A whole number of the same kind of float.
template <uint32_t m>
inline double integral(double x) {
  if constexpr ((m & kRni) != 0) return __builtin_rint(x);
  if constexpr ((m & kRzi) != 0) return __builtin_trunc(x);
  if constexpr ((m & kRmi) != 0) return __builtin_floor(x);
  if constexpr ((m & kRpi) != 0) return __builtin_ceil(x);
  return x;
}

// NaN gives 0, but the highest bit where either side has 64 bits; what is out of range gives the nearest end.
template <class To, class From, uint32_t m>
inline To to_integer(double x) {
  if (x != x)
    return sizeof(To) == 8 || sizeof(From) == 8 ? static_cast<To>(UnsignedOf<To>{1} << (8 * sizeof(To) - 1)) : To{0};
  const double whole = integral<m>(x);
  if (whole < static_cast<double>(kSmallest<To>)) return kSmallest<To>;
  if (whole >= __builtin_ldexp(1.0, static_cast<int>(8 * sizeof(To)) - (std::is_signed_v<To> ? 1 : 0)))
    return kLargest<To>;
  return static_cast<To>(whole);
}

// A double rounded in m's direction.
template <class To, uint32_t m>
inline To to_float(double x) {
  if constexpr (std::is_same_v<To, double>) {
    return finished<m>(x);
  } else if constexpr (std::is_same_v<To, float>) {
    if (x != x) return finished<m>(as<float>(kNanBits));
    if constexpr ((m & kRz) != 0) return finished<m>(__double2float_rz(x));
    if constexpr ((m & kRm) != 0) return finished<m>(__double2float_rd(x));
    if constexpr ((m & kRp) != 0) return finished<m>(__double2float_ru(x));
    return finished<m>(static_cast<float>(x));
  } else {
    using Format = typename To::Format;
    const float odd = simt::to_float_odd(x);
    if constexpr ((m & kRz) != 0) return narrowed<To, m & ~kRz>(widened(To{simt::narrow_to_zero<Format>(odd)}));
    if constexpr ((m & kRm) != 0) return narrowed<To, m & ~kRm>(widened(To{simt::narrow_down<Format>(odd)}));
    if constexpr ((m & kRp) != 0) return narrowed<To, m & ~kRp>(widened(To{simt::narrow_up<Format>(odd)}));
    return narrowed<To, m>(x);
  }
}

// Rounds to odd, so that 64 bits of a whole number may be rounded again.
template <class From>
inline double odd_double(From x) {
  if constexpr (sizeof(From) < 8) {
    return static_cast<double>(x);
  } else {
    const bool negative = x < 0;
    const double size = simt::to_double_odd(negative ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x));
    return negative ? -size : size;
  }
}

template <class To, class From, uint32_t m>
inline To cvt(From x) {
  if constexpr (is_whole<From> && is_whole<To>) {
    return in_range<To, m>(static_cast<__int128>(x));
  } else if constexpr (is_whole<From>) {
    if constexpr (std::is_same_v<To, double>)
      return static_cast<double>(x);
    else
      return to_float<To, m>(odd_double(x));
  } else if constexpr (std::is_same_v<To, float> && std::is_same_v<From, float> &&
                       (m & (kRni | kRzi | kRmi | kRpi)) == 0) {
    return finished<m>(flushed<m>(x));  // exact in all directions
  } else if constexpr (is_small<From>) {
    return cvt < To, float, is_whole<To> ? m : m & ~uint32_t{kFtz} > (widened(flushed<m>(x)));
  } else if constexpr (is_whole<To>) {
    return to_integer<To, From, m>(static_cast<double>(flushed<m>(x)));
  } else {
    return to_float<To, m>(integral<m>(static_cast<double>(flushed<m>(x))));
  }
}

// cvt.rn.f16x2.f32 d, a, b: a is the upper half.
template <class P, uint32_t m>
ASSAY_PTX_APART P cvt_pair(float high, float low) {
  using T = decltype(P::low);
  return {to_float<T, m>(low), to_float<T, m>(high)};
}
// .rna, and .rn: 10 bits of fraction are kept, ties go away from zero or to even.
template <uint32_t m>
inline uint32_t cvt_tf32(float x) {
  const uint32_t bits = as<uint32_t>(x);
  if (x - x != 0) return x != x ? kNanBits : bits;
  if constexpr ((m & kRz) != 0) return bits & ~0x1fffu;
  return (bits + ((m & kRna) != 0 ? 0x1000u : 0xfffu + (bits >> 13 & 1u))) & ~0x1fffu;
}

// The two formats of fp8. e4m3 has no infinity and one NaN of each sign, 0x7f; e5m2 is the upper half of an f16.
struct e4m3 {
  static constexpr uint8_t kNan = 0x7f, kLargest = 0x7e;  // 448
  static constexpr int kFraction = 3, kBias = 7;
};
struct e5m2 {
  static constexpr uint8_t kNan = 0x7f, kLargest = 0x7b;  // 57344
  static constexpr int kFraction = 2, kBias = 15;
};

// Rounds to nearest even; a value that is too large gives the largest finite number (.satfinite, which PTX demands),
// NaN the NaN.
template <class Format, uint32_t m>
inline uint8_t narrowed_to_fp8(float x) {
  const uint32_t bits = as<uint32_t>(x);
  const auto sign = static_cast<uint8_t>(bits >> 24 & 0x80);
  const float size = __builtin_fabsf(x);
  if (x != x) return Format::kNan;
  if ((m & kRelu) != 0 && sign != 0) return 0;
  // Whole multiples of the last place, which has the exponent of the number or of the least normal one.
  const int exponent = static_cast<int>(bits >> 23 & 0xff) - 127, least = 1 - Format::kBias;
  const int place = (exponent > least ? exponent : least) - Format::kFraction;
  if (exponent > Format::kBias + 1) return sign | Format::kLargest;
  const float rounded = __builtin_rintf(__builtin_ldexpf(size, -place));
  const int code = ((place + Format::kFraction + Format::kBias - 1) << Format::kFraction) + static_cast<int>(rounded);
  return sign | static_cast<uint8_t>(code < Format::kLargest ? code : int{Format::kLargest});
}
template <class Format>
inline f16 widened_from_fp8(uint8_t bits) {
  if constexpr (std::is_same_v<Format, e5m2>) {
    const f16 wide{static_cast<uint16_t>(bits << 8)};
    return is_nan(wide) ? gpu_nan<f16>() : wide;
  } else {
    if ((bits & 0x7f) == Format::kNan) return gpu_nan<f16>();
    const int exponent = bits >> 3 & 15, fraction = bits & 7;
    const float size = __builtin_ldexpf(static_cast<float>(exponent == 0 ? fraction : 8 + fraction),
                                        (exponent == 0 ? 1 : exponent) - Format::kBias - 3);
    return {f16::Format::narrow((bits & 0x80) != 0 ? -size : size)};  // exact
  }
}
// The first operand is the upper byte.
template <class Format, uint32_t m>
inline uint16_t fp8_pair(float high, float low) {
  return static_cast<uint16_t>(narrowed_to_fp8<Format, m>(high) << 8 | narrowed_to_fp8<Format, m>(low));
}
template <class Format, uint32_t m>
inline uint16_t fp8_pair(f16x2 pair) {
  return fp8_pair<Format, m>(widened(pair.high), widened(pair.low));
}
template <class Format, uint32_t m>
inline f16x2 pair_of_fp8(uint16_t pair) {
  const auto one = [](uint8_t bits) {
    const f16 wide = widened_from_fp8<Format>(bits);
    return (m & kRelu) != 0 && (wide.bits & 0x8000) != 0 && !is_nan(wide) ? f16{0} : wide;
  };
  return {one(static_cast<uint8_t>(pair)), one(static_cast<uint8_t>(pair >> 8))};
}

}  // namespace assay::ptx
