// Floating-point arithmetic on f32, f64, f16, bf16 and pairs of the last two.
//
// Rounded to nearest by the host; in the other directions f32 as harness/simt/include/simt/rounding.h says, f64 by the
// host's own rounding mode. 16-bit floats
// are computed wider and rounded once. Approximate functions: a launch without a seed gets the nearest value, a seeded
// one an error inside the bound that PTX ISA 9.0 gives, the same for the same argument, as on a GPU.
#pragma once

#include <fenv.h>

#include "harness/simt/include/ptx/bits.h"
#include "harness/simt/include/ptx/straight.h"
#include "harness/simt/include/simt/fast_math.h"
#include "harness/simt/include/simt/rng.h"
#include "harness/simt/include/simt/rounding.h"

namespace assay::ptx {

template <class T>
inline constexpr bool is_wide = std::is_same_v<T, float> || std::is_same_v<T, double>;

template <class T>
constexpr T gpu_nan() {
  if constexpr (is_small<T>)
    return T{0x7fff};
  else if constexpr (sizeof(T) == 4)
    return as<float>(kNanBits);
  else
    return as<double>(uint64_t{0xfff8000000000000});
}

// .ftz: subnormals are zeros of their sign. Applies to f32, and to the instructions on f16 to which PTX gives it.
template <uint32_t m, class T>
inline T flushed(T x) {
  if constexpr ((m & kFtz) == 0) return x;
  if constexpr (std::is_same_v<T, float>) return __builtin_fabsf(x) < 0x1p-126f ? __builtin_copysignf(0.0f, x) : x;
  if constexpr (std::is_same_v<T, f16>) return (x.bits & 0x7c00) == 0 ? f16{static_cast<uint16_t>(x.bits & 0x8000)} : x;
  return x;
}

// Applies the modifiers of every result: .ftz, .sat (into [0, 1], NaN to 0), .relu (below 0 to 0), the GPU's NaN.
template <uint32_t m, class T>
inline T finished(T x) {
  x = flushed<m>(x);
  if constexpr ((m & kSat) != 0) return saturated(x);
  if constexpr ((m & kRelu) != 0) return x < 0 || (x == 0 && __builtin_signbit(x)) ? T{0} : canonical(x);
  return canonical(x);
}

inline float widened(f16 x) { return simt::HalfFormat::widen(x.bits); }
inline float widened(bf16 x) { return simt::Bfloat16Format::widen(x.bits); }

template <class T>
inline bool is_nan(T x) {
  if constexpr (is_small<T>)
    return (x.bits & 0x7fff) > T::Format::kInfinity;
  else
    return x != x;
}

// The nearest 16-bit float to what a wider result stands for; `x` is exact or rounded to odd.
template <class T, uint32_t m>
ASSAY_PTX_APART T narrowed(double x) {
  T result{T::Format::narrow(simt::to_float_odd(x))};
  if constexpr ((m & kFtz) != 0) result = flushed<m>(result);
  if constexpr ((m & (kSat | kRelu)) != 0) {
    const float value = widened(result);
    if ((m & kSat) != 0 && !(value > 0)) return T{0};
    if ((m & kSat) != 0 && value > 1) return T{T::Format::narrow(1.0f)};
    if ((m & kRelu) != 0 && (result.bits & 0x8000) != 0 && value == value) return T{0};
  }
  return result;
}

constexpr bool is_directed(uint32_t m) { return (m & (kRz | kRm | kRp)) != 0; }
constexpr simt::Rounding direction(uint32_t m) {
  return (m & kRz) != 0 ? simt::Rounding::zero : (m & kRm) != 0 ? simt::Rounding::down : simt::Rounding::up;
}

// The result of `operation` on a, b and c when the host rounds in m's direction. Operands are volatile, so that the
// compiler moves nothing out of there.
template <uint32_t m, class Operation>
ASSAY_PTX_APART double directed(double a, double b, double c, Operation operation) {
  const volatile double x = a, y = b, z = c;
  ::fesetround((m & kRz) != 0 ? FE_TOWARDZERO : (m & kRm) != 0 ? FE_DOWNWARD : FE_UPWARD);
  const volatile double result = operation(x, y, z);
  ::fesetround(FE_TONEAREST);
  return canonical(static_cast<double>(result));
}

template <uint32_t m, class Operation>
ASSAY_PTX_APART float directed(float a, float b, float c, Operation operation) {
  return finished<m>(operation(a, b, c, direction(m)));
}

template <class T, uint32_t m>
requires(is_wide<T>) inline T add(T a, T b) {
  a = flushed<m>(a), b = flushed<m>(b);
  if constexpr (is_directed(m) && sizeof(T) == 8)
    return directed<m>(a, b, 0, [](double x, double y, double) { return x + y; });
  else if constexpr (is_directed(m))
    return directed<m>(a, b, 0.0f,
                       [](float x, float y, float, simt::Rounding r) { return simt::rounded_sum(x, y, r); });
  return finished<m>(a + b);
}
template <class T, uint32_t m>
requires(is_wide<T>) inline T sub(T a, T b) { return add<T, m>(a, b != b ? b : -b); }
template <class T, uint32_t m>
requires(is_wide<T>) inline T mul(T a, T b) {
  a = flushed<m>(a), b = flushed<m>(b);
  if constexpr (is_directed(m) && sizeof(T) == 8)
    return directed<m>(a, b, 0, [](double x, double y, double) { return x * y; });
  else if constexpr (is_directed(m))
    return directed<m>(a, b, 0.0f,
                       [](float x, float y, float, simt::Rounding r) { return simt::rounded_product(x, y, r); });
  return finished<m>(a * b);
}
template <class T, uint32_t m>
requires(is_wide<T>) inline T fma(T a, T b, T c) {
  a = flushed<m>(a), b = flushed<m>(b), c = flushed<m>(c);
  if constexpr (is_directed(m) && sizeof(T) == 8)
    return directed<m>(a, b, c, [](double x, double y, double z) { return __builtin_fma(x, y, z); });
  else if constexpr (is_directed(m))
    return directed<m>(a, b, c, simt::rounded_fused);
  if constexpr (sizeof(T) == 4)
    return finished<m>(__builtin_fmaf(a, b, c));
  else
    return finished<m>(__builtin_fma(a, b, c));
}
template <class T, uint32_t m>
requires(is_small<T>) ASSAY_PTX_APART T fma(T a, T b, T c) {
  a = flushed<m>(a), b = flushed<m>(b), c = flushed<m>(c);
  return narrowed<T, m>(simt::fma_odd(widened(a), widened(b), widened(c)));
}
template <class T, uint32_t m>
requires(is_small<T>) inline T add(T a, T b) {
  a = flushed<m>(a), b = flushed<m>(b);
  return narrowed<T, m>(static_cast<double>(widened(a) + widened(b)));
}
template <class T, uint32_t m>
requires(is_small<T>) inline T sub(T a, T b) {
  a = flushed<m>(a), b = flushed<m>(b);
  return narrowed<T, m>(static_cast<double>(widened(a) - widened(b)));
}
template <class T, uint32_t m>
requires(is_small<T>) inline T mul(T a, T b) {
  a = flushed<m>(a), b = flushed<m>(b);
  return narrowed<T, m>(static_cast<double>(widened(a)) * widened(b));
}

// neg and abs of a NaN give the GPU's NaN.
template <class T, uint32_t m>
requires(is_wide<T>) inline T neg(T a) { return finished<m>(-a); }
template <class T, uint32_t m>
requires(is_wide<T>) inline T abs(T a) {
  return finished<m>(sizeof(T) == 4 ? static_cast<T>(__builtin_fabsf(static_cast<float>(a)))
                                    : static_cast<T>(__builtin_fabs(a)));
}
template <class T, uint32_t m>
requires(is_small<T>) inline T neg(T a) {
  return is_nan(a) ? gpu_nan<T>() : flushed<m>(T{static_cast<uint16_t>(a.bits ^ 0x8000)});
}
template <class T, uint32_t m>
requires(is_small<T>) inline T abs(T a) {
  return is_nan(a) ? gpu_nan<T>() : flushed<m>(T{static_cast<uint16_t>(a.bits & 0x7fff)});
}
template <class T, uint32_t m>
inline T copysign(T sign, T a) {
  using U = Unsigned<sizeof(T)>;
  constexpr U kSign = U{1} << (8 * sizeof(T) - 1);
  return as<T>(static_cast<U>((as<U>(sign) & kSign) | (as<U>(a) & ~kSign)));
}

// A NaN loses to a number, with .NaN it wins; -0 is less than +0.
template <class T, uint32_t m, bool most>
inline T extreme(T a, T b) {
  a = flushed<m>(a), b = flushed<m>(b);
  if ((m & kNan) != 0 ? is_nan(a) || is_nan(b) : is_nan(a) && is_nan(b)) return gpu_nan<T>();
  if (is_nan(a)) return b;
  if (is_nan(b)) return a;
  const auto less = [](T x, T y) {
    const auto value = [](T z) {
      if constexpr (is_small<T>)
        return widened(z);
      else
        return z;
    };
    return value(x) < value(y) || (value(x) == value(y) && __builtin_signbit(value(x)) && !__builtin_signbit(value(y)));
  };
  return less(a, b) == most ? b : a;
}
template <class T, uint32_t m>
inline T clamped(T x) {  // .relu of min and max
  if constexpr ((m & kRelu) == 0) return x;
  return !is_nan(x) && (as<Unsigned<sizeof(T)>>(x) >> (8 * sizeof(T) - 1)) != 0 ? as<T>(Unsigned<sizeof(T)>{0}) : x;
}
template <class T, uint32_t m>
requires(is_wide<T> || is_small<T>) inline T min(T a, T b) { return clamped<T, m>(extreme<T, m, false>(a, b)); }
template <class T, uint32_t m>
requires(is_wide<T> || is_small<T>) inline T max(T a, T b) { return clamped<T, m>(extreme<T, m, true>(a, b)); }

#define ASSAY_PTX_OF_PAIRS(name, parameters, lows, highs) \
  template <class P, uint32_t m>                          \
  requires(is_pair<P>) inline P name parameters {         \
    using T = decltype(P::low);                           \
    return {name<T, m> lows, name<T, m> highs};           \
  }
ASSAY_PTX_OF_PAIRS(add, (P a, P b), (a.low, b.low), (a.high, b.high))
ASSAY_PTX_OF_PAIRS(sub, (P a, P b), (a.low, b.low), (a.high, b.high))
ASSAY_PTX_OF_PAIRS(mul, (P a, P b), (a.low, b.low), (a.high, b.high))
ASSAY_PTX_OF_PAIRS(min, (P a, P b), (a.low, b.low), (a.high, b.high))
ASSAY_PTX_OF_PAIRS(max, (P a, P b), (a.low, b.low), (a.high, b.high))
ASSAY_PTX_OF_PAIRS(neg, (P a), (a.low), (a.high))
ASSAY_PTX_OF_PAIRS(abs, (P a), (a.low), (a.high))
ASSAY_PTX_OF_PAIRS(fma, (P a, P b, P c), (a.low, b.low, c.low), (a.high, b.high, c.high))

// Correctly rounded quotients and roots.
template <class T, uint32_t m>
requires(is_wide<T>) inline T div(T a, T b) {
  a = flushed<m>(a), b = flushed<m>(b);
  if constexpr (is_directed(m) && sizeof(T) == 8)
    return directed<m>(a, b, 0, [](double x, double y, double) { return x / y; });
  else if constexpr (is_directed(m))
    return directed<m>(a, b, 0.0f,
                       [](float x, float y, float, simt::Rounding r) { return simt::rounded_quotient(x, y, r); });
  return finished<m>(a / b);
}
template <class T, uint32_t m>
inline T rcp(T a) {
  return div<T, m>(T{1}, a);
}
template <class T, uint32_t m>
inline T sqrt(T a) {
  a = flushed<m>(a);
  if constexpr (is_directed(m) && sizeof(T) == 8)
    return directed<m>(a, 0, 0, [](double x, double, double) { return ::sqrt(x); });
  else if constexpr (is_directed(m))
    return directed<m>(a, 0.0f, 0.0f, [](float x, float, float, simt::Rounding r) { return simt::rounded_root(x, r); });
  return finished<m>(sizeof(T) == 4 ? static_cast<T>(__builtin_sqrtf(static_cast<float>(a)))
                                    : static_cast<T>(__builtin_sqrt(a)));
}

// `exact` with a seeded error of at most `relative` of it and `absolute` beside; infinities, zeros and NaN stay.
template <uint32_t m>
ASSAY_PTX_APART float approximate(double exact, double relative, double absolute, uint32_t function, float x,
                                  float y = 0) {
  if (simt::approximates() && exact - exact == 0 && exact != 0) {
    const uint64_t key = uint64_t{as<uint32_t>(x)} << 32 | as<uint32_t>(y);
    const uint64_t hash = simt::Rng::mix(simt::Rng::mix(key + function) ^ simt::quiet_load(simt::block.approximation));
    const double part = static_cast<double>(static_cast<int64_t>(hash)) * 0x1p-63;
    // Half a unit is left for rounding to f32.
    const double room = relative > 0x1p-24 ? relative - 0x1p-24 : 0;
    exact += part * (room * __builtin_fabs(exact) + absolute);
  }
  return finished<m>(static_cast<float>(exact));
}

// PTX ISA 9.0: ulps are of the nearest result, one being at most 2^-23 of it.
template <class T, uint32_t m>
inline float rcp_approx(float a) {
  a = flushed<m>(a);
  return approximate<m>(1.0 / static_cast<double>(a), 0x1p-23, 0, 1, a);
}
template <class T, uint32_t m>
inline float sqrt_approx(float a) {
  a = flushed<m>(a);
  return approximate<m>(__builtin_sqrt(static_cast<double>(a)), 0x1p-23, 0, 2, a);
}
template <class T, uint32_t m>
inline float rsqrt_approx(float a) {
  a = flushed<m>(a);
  return approximate<m>(1.0 / __builtin_sqrt(static_cast<double>(a)), 0x1.125fp-23, 0, 3, a);  // 2^-22.9
}
template <class T, uint32_t m>
inline float div_approx(float a, float b) {  // 2 ulp where |b| is in [2^-126, 2^126]; beyond, the quotient is 0
  a = flushed<m>(a), b = flushed<m>(b);
  const float size = __builtin_fabsf(b);
  if (size > 0x1p126f && size - size == 0)
    return a - a == 0 ? __builtin_copysignf(0.0f, a) * __builtin_copysignf(1.0f, b) : gpu_nan<float>();
  return approximate<m>(static_cast<double>(a) / b, 0x1p-22, 0, 4, a, b);
}
template <class T, uint32_t m>
inline float div_full(float a, float b) {
  a = flushed<m>(a), b = flushed<m>(b);
  return approximate<m>(static_cast<double>(a) / b, 0x1p-22, 0, 5, a, b);
}
// The manual's tables give the values of sin, cos and ex2 for zeros and subnormals, not a bound: cos and ex2 are 1.
inline bool is_tiny(float a) { return __builtin_fabsf(a) < 0x1p-126f; }
template <class T, uint32_t m>
inline float sin_approx(float a) {
  a = flushed<m>(a);
  return approximate<m>(::sin(static_cast<double>(a)), 0, is_tiny(a) ? 0 : 0x1p-21, 6, a);  // 2^-20.9 in [-pi, pi]
}
template <class T, uint32_t m>
inline float cos_approx(float a) {
  a = flushed<m>(a);
  return approximate<m>(::cos(static_cast<double>(a)), 0, is_tiny(a) ? 0 : 0x1p-21, 7, a);
}
template <class T, uint32_t m>
inline float lg2_approx(float a) {  // 2^-22 absolute in (0.5, 2), relative outside
  a = flushed<m>(a);
  const bool near_one = a > 0.5f && a < 2;
  return approximate<m>(::log2(static_cast<double>(a)), near_one ? 0 : 0x1p-22, near_one ? 0x1p-23 : 0, 8, a);
}
// Powers of two are exact. The manual's table says so of 2^0; of the others follows it from the 1 ulp that CUDA states
// for expm1f, which nvcc makes of ex2(j) - 1 with a whole j.
inline bool is_power(float exponent) { return is_tiny(exponent) || exponent == __builtin_rintf(exponent); }
template <class T, uint32_t m>
requires(std::is_same_v<T, float>) inline float ex2_approx(T a) {
  a = flushed<m>(a);
  return approximate<m>(::exp2(static_cast<double>(a)), is_power(a) ? 0 : 0x1p-22, 0, 9, a);
}
template <class T, uint32_t m>
requires(std::is_same_v<T, float>) inline float tanh_approx(T a) {
  return approximate<m>(::tanh(static_cast<double>(a)), 0x1p-11, 0, 10, a);
}
// In 16-bit floats, ex2 is good to 2^-9.9 in f16 and 2^-7 in bf16, tanh to 2^-10.987 and 2^-8, of the value.
template <class T>
constexpr double small_error(double of_f16, double of_bf16) {
  return std::is_same_v<T, f16> ? of_f16 : of_bf16;
}
template <class T, uint32_t m>
requires(is_small<T>) inline T ex2_approx(T a) {
  a = flushed<m>(a);
  const double error = small_error<T>(0x1.12p-10, 0x1p-7) - small_error<T>(0x1p-11, 0x1p-8);  // less the last rounding
  const float x = widened(a);
  return narrowed<T, m>(
      static_cast<double>(approximate<0>(::exp2(static_cast<double>(x)), is_power(x) ? 0 : error, 0, 11, x)));
}
template <class T, uint32_t m>
requires(is_small<T>) inline T tanh_approx(T a) {
  const double error = small_error<T>(0x1.02p-11, 0x1p-8) - small_error<T>(0x1p-11, 0x1p-9);
  return narrowed<T, m>(
      static_cast<double>(approximate<0>(::tanh(static_cast<double>(widened(a))), error, 0, 12, widened(a))));
}
ASSAY_PTX_OF_PAIRS(ex2_approx, (P a), (a.low), (a.high))
ASSAY_PTX_OF_PAIRS(tanh_approx, (P a), (a.low), (a.high))
#undef ASSAY_PTX_OF_PAIRS
// For doubles .approx.ftz reads and writes the upper 32 bits only, and is good to 2^-20.
template <class T, uint32_t m>
inline double upper_half(double x) {
  return canonical(as<double>(as<uint64_t>(x) & 0xffffffff00000000));
}
template <class T, uint32_t m>
inline double rcp_approx64(double a) {
  return upper_half<T, m>(1 / upper_half<T, m>(a));
}
template <class T, uint32_t m>
inline double rsqrt_approx64(double a) {
  return upper_half<T, m>(1 / __builtin_sqrt(upper_half<T, m>(a)));
}

// setp and set. The letters: ordered comparisons are false for NaN, the ones with u true.
enum class Comparison { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

template <Comparison how, class T, uint32_t m>
inline bool compare(T x, T y) {
  if constexpr (is_small<T>) {
    return compare<how, float, 0>(widened(flushed<m>(x)), widened(flushed<m>(y)));
  } else {
    const T a = flushed<m>(x), b = flushed<m>(y);
    const bool unordered = (a != a) | (b != b);
    switch (how) {
      case Comparison::eq:
        return a == b;
      case Comparison::ne:
        return !unordered & (a != b);
      case Comparison::lt:
        return a < b;
      case Comparison::le:
        return a <= b;
      case Comparison::gt:
        return a > b;
      case Comparison::ge:
        return a >= b;
      case Comparison::equ:
        return unordered | (a == b);
      case Comparison::neu:
        return a != b;
      case Comparison::ltu:
        return unordered | (a < b);
      case Comparison::leu:
        return unordered | (a <= b);
      case Comparison::gtu:
        return unordered | (a > b);
      case Comparison::geu:
        return unordered | (a >= b);
      case Comparison::num:
        return !unordered;
      case Comparison::nan:
        return unordered;
    }
    return false;
  }
}

enum class Kind { finite, infinite, number, notanumber, normal, subnormal };
template <Kind kind, class T, uint32_t m>
inline bool testp(T a) {
  const int c = __builtin_fpclassify(0, 1, 2, 3, 4, a);  // NaN, infinite, normal, subnormal, zero
  switch (kind) {
    case Kind::finite:
      return c >= 2;
    case Kind::infinite:
      return c == 1;
    case Kind::number:
      return c != 0;
    case Kind::notanumber:
      return c == 0;
    case Kind::normal:
      return c == 2;
    case Kind::subnormal:
      return c == 3;
  }
  return false;
}

}  // namespace assay::ptx
