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
inline P cvt_pair(float high, float low) {
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

}  // namespace assay::ptx
