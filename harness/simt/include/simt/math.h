// Mathematical functions in the global namespace, as CUDA has them, and the float intrinsics.
//
// Those whose bits CUDA defines (_rn, conversions) have them. The approximate ones (__expf, __sinf, …) are in
// fast_math.h.
#pragma once

#include <math.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "harness/simt/include/simt/fast_math.h"
#include "harness/simt/include/simt/rounding.h"
#include "harness/simt/include/simt/vector_types.h"

inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
inline float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
inline float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
inline long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
inline double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(
      static_cast<long long>(static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32 | static_cast<uint32_t>(low)));
}

// The greater or lesser of two values, or the number where the other is a NaN: the library's functions inlined, because
// a call costs more than the comparison. The comparisons raise no flag for a NaN. Whoever takes an address gets the
// library's.
#define ASSAY_INLINE_MINMAX(name, T, quiet)                                            \
  extern inline __attribute__((gnu_inline, always_inline)) T name(T a, T b) noexcept { \
    return b != b || quiet(a, b) ? a : b;                                              \
  }
extern "C" {
ASSAY_INLINE_MINMAX(fmaxf, float, __builtin_isgreater)
ASSAY_INLINE_MINMAX(fminf, float, __builtin_isless)
ASSAY_INLINE_MINMAX(fmax, double, __builtin_isgreater)
ASSAY_INLINE_MINMAX(fmin, double, __builtin_isless)
}
#undef ASSAY_INLINE_MINMAX

// Functions that C's library lacks.
inline double rsqrt(double x) { return 1.0 / ::sqrt(x); }
inline float rsqrt(float x) { return rsqrtf(x); }
inline float rcbrtf(float x) { return static_cast<float>(1.0 / ::cbrt(static_cast<double>(x))); }
#ifndef __USE_GNU
inline float exp10f(float x) { return static_cast<float>(::pow(10.0, static_cast<double>(x))); }
inline double exp10(double x) { return ::pow(10.0, x); }
#endif
inline float sinpif(float x) {
  return static_cast<float>(::sin(3.14159265358979323846 * ::remainder(static_cast<double>(x), 2.0)));
}
inline float cospif(float x) {
  return static_cast<float>(::cos(3.14159265358979323846 * ::remainder(static_cast<double>(x), 2.0)));
}
inline void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
inline float normcdff(float x) {
  return static_cast<float>(0.5 * ::erfc(-static_cast<double>(x) * 0.70710678118654752440));
}
inline float erfcxf(float x) {
  return static_cast<float>(::exp(static_cast<double>(x) * x) * ::erfc(static_cast<double>(x)));
}
inline float norm3df(float a, float b, float c) {
  return static_cast<float>(::sqrt(double(a) * a + double(b) * b + double(c) * c));
}
#if defined(__USE_FAST_MATH__)
inline float fdividef(float a, float b) { return __fdividef(a, b); }
#else
inline float fdividef(float a, float b) { return a / b; }
#endif
inline float __saturatef(float x) { return x > 0.0f ? (x > 1.0f ? 1.0f : x) : 0.0f; }  // NaN and -0 give +0

// Minimum and maximum of every pair of types that CUDA accepts; of floats, the one that is not NaN.
namespace assay::simt {
template <class A, class B>
struct Common {
  using type = decltype(true ? A() : B());
};
template <class T>
inline constexpr bool is_floating = false;
template <>
inline constexpr bool is_floating<float> = true;
template <>
inline constexpr bool is_floating<double> = true;
template <class T>
concept Number = requires(T x) {
  requires(static_cast<T>(1) / static_cast<T>(2) == 0) || is_floating<T>;
  requires !__is_enum(T);
};
}  // namespace assay::simt

template <::assay::simt::Number A, ::assay::simt::Number B>
constexpr auto min(A a, B b) {
  using T = typename ::assay::simt::Common<A, B>::type;
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  if constexpr (::assay::simt::is_floating<T>)
    return x != x ? y : (y < x ? y : x);
  else
    return y < x ? y : x;
}
template <::assay::simt::Number A, ::assay::simt::Number B>
constexpr auto max(A a, B b) {
  using T = typename ::assay::simt::Common<A, B>::type;
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  if constexpr (::assay::simt::is_floating<T>)
    return x != x ? y : (y > x ? y : x);
  else
    return y > x ? y : x;
}
inline unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
inline unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }

// Correctly rounded, whatever the flags.
inline float __frsqrt_rn(float x) { return ::assay::simt::exact_reciprocal_root(x); }
inline float __fsqrt_rn(float x) { return ::sqrtf(x); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline double __drcp_rn(double x) { return 1.0 / x; }
inline double __dsqrt_rn(double x) { return ::sqrt(x); }

// Round-to-nearest arithmetic that the compiler may not fuse; kernels are compiled with -ffp-contract=off.
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return ::fmaf(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __fma_rn(double a, double b, double c) { return ::fma(a, b, c); }

#include "harness/simt/include/simt/convert.h"
