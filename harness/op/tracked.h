// The tracked scalar: a value together with the size that honest rounding errors of a kernel may have.
//
// References are templates on their scalar. With Tracked, every operation also propagates
//   e  the variance of independent rounding errors, and
//   c  the standard deviation of errors that many terms share (a row's maximum, sum or reciprocal root),
// to first order (of a product to the second), for a kernel that computes in a precision of unit roundoff
// Tracked::unit. Each rounding of a result v adds (unit·v)²/3: the variance of an error spread evenly over ±unit·v. A
// kernel's budget is k·(√e + c) plus its output's own rounding, so nobody writes a tolerance. Conversions are exact and
// add nothing.
//
// The scalar functions below (exp, log, sqrt, sin, cos, shared, larger) exist for float, double and long double as
// well, so that one reference serves all three. Long sums are in sum.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/op/precision.h"
#include "harness/op/watch.h"

namespace assay {

// A budget is this many standard deviations of the tracked rounding errors. One number for the whole project, set by
// campaigns over random cases (no false alarm in 10⁵), and never per op: loosening is a declared precision of a
// variant.
inline constexpr double kBudgetFactor = 4;

class Tracked {
 public:
  double v = 0;
  double e = 0;
  double c = 0;

  Tracked() = default;
  Tracked(double value) : v(value) {}  // NOLINT(google-explicit-constructor): constants enter formulas as they are
  Tracked(double value, double variance, double common) : v(value), e(variance), c(common) {
    if (!std::isfinite(v)) e = c = 0;  // classes of non-finite are compared as such; a budget has no meaning there
    if (std::isnan(e)) e = std::numeric_limits<double>::infinity();  // of what may have overflowed, times 0
  }

  // The declarations of the kernel under judgement (Precision has their meanings); TrackedPrecision sets them.
  inline static thread_local double unit = 0x1p-24;
  inline static thread_local double smallest = 0x1p-150;
  inline static thread_local double largest = std::numeric_limits<double>::infinity();
  inline static thread_local double rounds_unit = 0;
  inline static thread_local double rounds_smallest = 0;
  inline static thread_local OperandFormat operands = {};
  inline static thread_local bool ftz = false;
  inline static thread_local bool fast_math = false;
  inline static thread_local double mask_value = -std::numeric_limits<double>::infinity();
  inline static thread_local const std::vector<std::string>* rounds = nullptr;
  // All of them, for another thread.
  static Precision declared() {
    return {unit,        smallest,        largest,  rounds ? *rounds : std::vector<std::string>{},
            rounds_unit, rounds_smallest, operands, ftz,
            fast_math,   mask_value};
  }
  static constexpr double kFunctionUlps = 2;  // error of exp, log, sin, cos in units of `unit`: CUDA documents 2 ulp
  static constexpr double kSmallestNormal = 0x1p-126;  // of f32

  static double rounding(double value) {
    if (!std::isfinite(value)) return 0;
    if (std::fabs(value) > largest) return std::numeric_limits<double>::infinity();
    const double bound = unit * std::fabs(value) + smallest;
    return bound * bound / 3;
  }
  static Tracked rounded(double value, double variance, double common) {
    return {value, variance + rounding(value), common + flushed(value)};
  }
  // The loss of a number flushed to zero: all of it, and always to the same side.
  static double flushed(double value) { return ftz && std::fabs(value) < kSmallestNormal ? std::fabs(value) : 0; }
  // The result of an operation that -use_fast_math replaces by an approximation of 2 ulp: division, square root.
  static Tracked approximated(Tracked result) {
    if (!fast_math) return result;
    const double own = 2 * unit * std::fabs(result.v);
    return {result.v, result.e + own * own, result.c};
  }
  double spread() const { return std::sqrt(e) + c; }
  bool was_computed() const { return e > 0 || c > 0; }

  // The variance that the product of two errors adds: all that is left where both factors have cancelled. It is seldom
  // large and then far out, which no first order tells: as much as the product of both factors' budgets.
  static double of_both_errors(Tracked a, Tracked b) {
    const double of_a = a.e + a.c * a.c, of_b = b.e + b.c * b.c;
    if (of_a == 0 || of_b == 0) return 0;  // whatever the other is
    return kBudgetFactor * kBudgetFactor * of_a * of_b;
  }

  // Whether a kernel may honestly have 0 in the place of a number that is not: times infinity it is then NaN.
  static bool may_be_zero(Tracked a) { return a.v != 0 && kBudgetFactor * a.spread() >= std::fabs(a.v); }

  // An element that nobody judges: of a row that the reference left out because computing all of them would take too
  // long, or the infinity or NaN of a product whose finite factor may have been rounded to 0.
  static Tracked unknown() { return {0, std::numeric_limits<double>::infinity(), 0}; }
  static bool any_unknown(Tracked a, Tracked b) { return std::isinf(a.e + b.e); }  // and so is what is made of it

  Tracked operator-() const { return {-v, e, c}; }
  friend Tracked operator+(Tracked a, Tracked b) {
    return any_unknown(a, b) ? unknown() : rounded(a.v + b.v, a.e + b.e, a.c + b.c);
  }
  friend Tracked operator-(Tracked a, Tracked b) {
    return any_unknown(a, b) ? unknown() : rounded(a.v - b.v, a.e + b.e, a.c + b.c);
  }
  friend Tracked operator*(Tracked a, Tracked b) {
    if (any_unknown(a, b)) return unknown();
    const double product = a.v * b.v;
    if (std::isinf(product) && ((std::isinf(b.v) && may_be_zero(a)) || (std::isinf(a.v) && may_be_zero(b))))
      return unknown();
    return rounded(product, a.e * b.v * b.v + b.e * a.v * a.v + of_both_errors(a, b),
                   a.c * std::fabs(b.v) + b.c * std::fabs(a.v));
  }
  friend Tracked operator/(Tracked a, Tracked b) {
    if (b.was_computed()) watch(Watched::divisor, std::fabs(b.v));
    if (any_unknown(a, b)) return unknown();
    const double q = a.v / b.v;
    return approximated(rounded(q, (a.e + b.e * q * q) / (b.v * b.v), (a.c + b.c * std::fabs(q)) / std::fabs(b.v)));
  }
  Tracked& operator+=(Tracked b) { return *this = *this + b; }
  Tracked& operator-=(Tracked b) { return *this = *this - b; }
  Tracked& operator*=(Tracked b) { return *this = *this * b; }
  friend bool operator<(Tracked a, Tracked b) { return a.v < b.v; }
  friend bool operator>(Tracked a, Tracked b) { return a.v > b.v; }
  friend bool operator<=(Tracked a, Tracked b) { return a.v <= b.v; }
  friend bool operator>=(Tracked a, Tracked b) { return a.v >= b.v; }
  friend bool operator==(Tracked a, Tracked b) { return a.v == b.v; }
};

// A computation in another precision than f32, or with another mask, for as long as the object lives.
class TrackedPrecision {
 public:
  explicit TrackedPrecision(Precision precision)
      : own_(std::move(precision)),
        saved_{.unit = std::exchange(Tracked::unit, own_.unit),
               .smallest = std::exchange(Tracked::smallest, own_.smallest),
               .largest = std::exchange(Tracked::largest, own_.largest),
               .rounds_unit = std::exchange(Tracked::rounds_unit, own_.rounds_unit),
               .rounds_smallest = std::exchange(Tracked::rounds_smallest, own_.rounds_smallest),
               .operands = std::exchange(Tracked::operands, own_.operands),
               .ftz = std::exchange(Tracked::ftz, own_.ftz),
               .fast_math = std::exchange(Tracked::fast_math, own_.fast_math),
               .mask_value = std::exchange(Tracked::mask_value, own_.mask_value)},
        saved_rounds_(std::exchange(Tracked::rounds, &own_.rounds)) {}
  ~TrackedPrecision() {
    Tracked::unit = saved_.unit;
    Tracked::smallest = saved_.smallest;
    Tracked::largest = saved_.largest;
    Tracked::rounds_unit = saved_.rounds_unit;
    Tracked::rounds_smallest = saved_.rounds_smallest;
    Tracked::operands = saved_.operands;
    Tracked::ftz = saved_.ftz;
    Tracked::fast_math = saved_.fast_math;
    Tracked::mask_value = saved_.mask_value;
    Tracked::rounds = saved_rounds_;
  }
  TrackedPrecision(const TrackedPrecision&) = delete;
  TrackedPrecision& operator=(const TrackedPrecision&) = delete;

 private:
  const Precision own_, saved_;
  const std::vector<std::string>* saved_rounds_;
};

// The standard deviation that stands for a function's own error: half its largest, so that the budget is twice that.
// The intrinsics' errors are those of the CUDA C++ Programming Guide: __expf 2 + 1.173|x| ulp; __logf 2^-21.41 between
// 0.5 and 2, else 3 ulp; __sinf and __cosf 2^-21.41 and 2^-21.19 for angles up to pi, and more, unsaid how much,
// beyond: there they have the same budget, and miss it.
inline double own_error_of_exp(double x, double value) {
  constexpr double kMost = 128;  // beyond it the value is 0 or infinity in f32
  const double ulps = Tracked::fast_math ? 2 + 1.173 * std::min(std::fabs(x), kMost) : Tracked::kFunctionUlps;
  return ulps * Tracked::unit * value + Tracked::smallest;
}
inline double own_error_of_log(double x, double value) {
  const double exact = Tracked::kFunctionUlps * Tracked::unit * std::fabs(value) + Tracked::smallest;
  if (!Tracked::fast_math) return exact;
  return x >= 0.5 && x <= 2 ? std::max(exact, 0x1p-22) : 1.5 * exact;
}
inline double own_error_of_sine(double value) {
  const double exact = Tracked::kFunctionUlps * Tracked::unit * std::fabs(value) + Tracked::smallest;
  return Tracked::fast_math ? std::max(exact, 0x1p-22) : exact;
}

inline float exp(float a) { return std::exp(a); }
inline double exp(double a) { return std::exp(a); }
inline long double exp(long double a) { return std::exp(a); }
inline Tracked exp(Tracked a) {
  watch(Watched::exponent, a.v);
  const double value = std::exp(a.v);
  const double own = own_error_of_exp(a.v, value);
  return {value, value * value * a.e + own * own, value * a.c + Tracked::flushed(value)};
}

inline float log(float a) { return std::log(a); }
inline double log(double a) { return std::log(a); }
inline long double log(long double a) { return std::log(a); }
inline Tracked log(Tracked a) {
  watch(Watched::logarithm, a.v);
  const double value = std::log(a.v);
  const double own = own_error_of_log(a.v, value);
  return {value, a.e / (a.v * a.v) + own * own, a.c / std::fabs(a.v)};
}

inline float sqrt(float a) { return std::sqrt(a); }
inline double sqrt(double a) { return std::sqrt(a); }
inline long double sqrt(long double a) { return std::sqrt(a); }
inline Tracked sqrt(Tracked a) {
  const double value = std::sqrt(a.v);
  if (value == 0) return {0, a.e, a.c};
  return Tracked::approximated(Tracked::rounded(value, a.e / (4 * a.v), a.c / (2 * value)));
}

// 1/sqrt(a). Kernels take rsqrtf for it, for which CUDA documents 2 ulp, as well as a division by a root.
inline float rsqrt(float a) { return 1 / std::sqrt(a); }
inline double rsqrt(double a) { return 1 / std::sqrt(a); }
inline long double rsqrt(long double a) { return 1 / std::sqrt(a); }
inline Tracked rsqrt(Tracked a) {
  const double value = 1 / std::sqrt(a.v), slope = value / (2 * a.v);
  const double own = Tracked::kFunctionUlps * Tracked::unit * value + Tracked::smallest;
  return Tracked::approximated({value, slope * slope * a.e + own * own, slope * a.c});
}

// The angle is any finite one: CUDA documents 2 ulp for both over the full range, so proper range reduction is part of
// the budget.
inline float sin(float a) { return std::sin(a); }
inline double sin(double a) { return std::sin(a); }
inline long double sin(long double a) { return std::sin(a); }
inline Tracked sin(Tracked a) {
  watch(Watched::angle, std::fabs(a.v));
  const double value = std::sin(a.v), slope = std::cos(a.v);
  const double own = own_error_of_sine(value);
  return {value, slope * slope * a.e + own * own, std::fabs(slope) * a.c};
}

inline float cos(float a) { return std::cos(a); }
inline double cos(double a) { return std::cos(a); }
inline long double cos(long double a) { return std::cos(a); }
inline Tracked cos(Tracked a) {
  watch(Watched::angle, std::fabs(a.v));
  const double value = std::cos(a.v), slope = -std::sin(a.v);
  const double own = own_error_of_sine(value);
  return {value, slope * slope * a.e + own * own, std::fabs(slope) * a.c};
}

// One rounded number that is used in many later terms: its error no longer averages out between them.
inline float shared(float a) { return a; }
inline double shared(double a) { return a; }
inline long double shared(long double a) { return a; }
inline Tracked shared(Tracked a) { return {a.v, 0, a.c + std::sqrt(a.e)}; }

inline double plain(float a) { return a; }
inline double plain(double a) { return a; }
inline double plain(long double a) { return static_cast<double>(a); }
inline double plain(Tracked a) { return a.v; }

// Shows a number of a reference to whoever watches: once for all scalars, as it comes by way of Tracked.
template <class S>
void watch_tracked(Watched what, S number) {
  if constexpr (std::is_same_v<S, Tracked>) watch(what, number.v);
}

// The result of a chain of products that kernels take in any order. Where `last` comes last, what it multiplies may
// have been too small for f32, and that loss is multiplied as well.
template <class S>
S in_any_order(S result, S last) {
  if constexpr (std::is_same_v<S, Tracked>) {
    const double factor = std::fabs(last.v), lost = Tracked::smallest * factor;
    return {result.v, result.e + lost * lost / 3, result.c + factor * Tracked::flushed(result.v / factor)};
  }
  return result;
}

// `a` + `eps`, for a divisor or a root that eps keeps from being 0.
template <class S>
S plus_eps(S a, S eps) {
  watch_tracked(Watched::above_eps, S(plain(a) / plain(eps)));
  return a + eps;
}

// The scalar's mark for an element that was not computed. Only Tracked has one; the others give 0.
template <class S>
S unknown() {
  if constexpr (std::is_same_v<S, Tracked>) return Tracked::unknown();
  return S(0);
}

// The larger of two; NaN when either is NaN, whatever the order.
template <class S>
S larger(S a, S b) {
  if (std::isnan(plain(a))) return a;
  return std::isnan(plain(b)) || plain(b) > plain(a) ? b : a;
}

}  // namespace assay
