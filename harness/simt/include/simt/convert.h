// Conversions between floating point and integers with CUDA's rounding modes and its saturation: a value beyond the
// integer's range gives the nearest end of it, and NaN gives 0 (0x8000… for 64 bits).
#pragma once

#include <math.h>

namespace assay::simt {

inline double round_nearest(double x) { return ::rint(x); }
inline double round_zero(double x) { return ::trunc(x); }
inline double round_up(double x) { return ::ceil(x); }
inline double round_down(double x) { return ::floor(x); }

template <class Int>
inline Int saturate(double x) {
  constexpr bool is_signed = static_cast<Int>(-1) < static_cast<Int>(0);
  constexpr int bits = static_cast<int>(sizeof(Int)) * 8 - (is_signed ? 1 : 0);
  constexpr Int largest = static_cast<Int>(~0ull >> (64 - bits));
  constexpr Int smallest = is_signed ? static_cast<Int>(-largest - 1) : Int{0};
  const double beyond = ::ldexp(1.0, bits);
  if (x != x) return sizeof(Int) == 8 ? static_cast<Int>(1ull << 63) : Int{0};
  if (x >= beyond) return largest;
  if (x < (is_signed ? -beyond : 0.0)) return smallest;
  return static_cast<Int>(x);
}

}  // namespace assay::simt

#define ASSAY_TO_INTEGER(name, From, Int)                                                      \
  inline Int __##name##_rn(From x) {                                                           \
    return ::assay::simt::saturate<Int>(::assay::simt::round_nearest(static_cast<double>(x))); \
  }                                                                                            \
  inline Int __##name##_rz(From x) {                                                           \
    return ::assay::simt::saturate<Int>(::assay::simt::round_zero(static_cast<double>(x)));    \
  }                                                                                            \
  inline Int __##name##_ru(From x) {                                                           \
    return ::assay::simt::saturate<Int>(::assay::simt::round_up(static_cast<double>(x)));      \
  }                                                                                            \
  inline Int __##name##_rd(From x) {                                                           \
    return ::assay::simt::saturate<Int>(::assay::simt::round_down(static_cast<double>(x)));    \
  }
ASSAY_TO_INTEGER(float2int, float, int)
ASSAY_TO_INTEGER(float2uint, float, unsigned)
ASSAY_TO_INTEGER(float2ll, float, long long)
ASSAY_TO_INTEGER(float2ull, float, unsigned long long)
ASSAY_TO_INTEGER(double2int, double, int)
ASSAY_TO_INTEGER(double2uint, double, unsigned)
ASSAY_TO_INTEGER(double2ll, double, long long)
ASSAY_TO_INTEGER(double2ull, double, unsigned long long)
#undef ASSAY_TO_INTEGER

inline float __int2float_rn(int x) { return static_cast<float>(x); }
inline float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
inline float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
inline double __int2double_rn(int x) { return x; }
inline double __uint2double_rn(unsigned x) { return x; }
inline double __ll2double_rn(long long x) { return static_cast<double>(x); }
inline double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }
inline float __double2float_rn(double x) { return static_cast<float>(x); }

// The float nearest to x that does not lie beyond it in the direction of rounding.
inline float __double2float_rd(double x) {
  const float nearest = static_cast<float>(x);
  return static_cast<double>(nearest) > x ? ::nextafterf(nearest, -HUGE_VALF) : nearest;
}
inline float __double2float_ru(double x) {
  const float nearest = static_cast<float>(x);
  return static_cast<double>(nearest) < x ? ::nextafterf(nearest, HUGE_VALF) : nearest;
}
inline float __double2float_rz(double x) { return x < 0 ? __double2float_ru(x) : __double2float_rd(x); }
