// The tracked scalar: a value together with the size that honest rounding errors of a kernel may have.
//
// References are templates on their scalar. With Tracked, every operation also propagates
//   e  the variance of independent rounding errors, and
//   c  the standard deviation of errors that many terms share (a row's maximum, sum or reciprocal root),
// to first order, for a kernel that computes in a precision of unit roundoff Tracked::unit. Each rounding of a result v
// adds (unit·v)²/3: the variance of an error spread evenly over ±unit·v. A kernel's budget is k·(√e + c) plus its
// output's own rounding, so nobody writes a tolerance. Conversions are exact and add nothing.
//
// The scalar functions below (exp, log, sqrt, sin, cos, shared, larger) exist for float, double and long double as
// well, so that one reference serves all three. Long sums are in sum.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <unordered_map>
#include <utility>

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
  }

  inline static thread_local double unit = 0x1p-24;       // unit roundoff of the kernel's arithmetic
  inline static thread_local double smallest = 0x1p-150;  // half its smallest subnormal: the floor of any rounding
  // The same two of the dtype to which computed operands of a product are rounded; 0 for kernels that do not round
  // them.
  inline static thread_local double operand_unit = 0;
  inline static thread_local double operand_smallest = 0;
  // What a masked score is; a kernel that masks by -1e9, say, declares it.
  inline static thread_local double mask_value = -std::numeric_limits<double>::infinity();
  static constexpr double kFunctionUlps = 2;  // error of exp, log, sin, cos in units of `unit`: CUDA documents 2 ulp

  static double rounding(double value) {
    if (!std::isfinite(value)) return 0;
    const double bound = unit * std::fabs(value) + smallest;
    return bound * bound / 3;
  }
  static Tracked rounded(double value, double variance, double common) {
    return {value, variance + rounding(value), common};
  }
  double spread() const { return std::sqrt(e) + c; }

  // An element that the reference left out because computing all of them would take too long.
  static Tracked unknown() { return {0, std::numeric_limits<double>::infinity(), 0}; }

  Tracked operator-() const { return {-v, e, c}; }
  friend Tracked operator+(Tracked a, Tracked b) { return rounded(a.v + b.v, a.e + b.e, a.c + b.c); }
  friend Tracked operator-(Tracked a, Tracked b) { return rounded(a.v - b.v, a.e + b.e, a.c + b.c); }
  friend Tracked operator*(Tracked a, Tracked b) {
    return rounded(a.v * b.v, a.e * b.v * b.v + b.e * a.v * a.v, a.c * std::fabs(b.v) + b.c * std::fabs(a.v));
  }
  friend Tracked operator/(Tracked a, Tracked b) {
    const double q = a.v / b.v;
    return rounded(q, (a.e + b.e * q * q) / (b.v * b.v), (a.c + b.c * std::fabs(q)) / std::fabs(b.v));
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
  explicit TrackedPrecision(double unit, double operand_unit = 0, double operand_smallest = 0,
                            double mask_value = -std::numeric_limits<double>::infinity())
      : unit_(std::exchange(Tracked::unit, unit)),
        operand_unit_(std::exchange(Tracked::operand_unit, operand_unit)),
        operand_smallest_(std::exchange(Tracked::operand_smallest, operand_smallest)),
        mask_value_(std::exchange(Tracked::mask_value, mask_value)) {}
  ~TrackedPrecision() {
    Tracked::unit = unit_;
    Tracked::operand_unit = operand_unit_;
    Tracked::operand_smallest = operand_smallest_;
    Tracked::mask_value = mask_value_;
  }
  TrackedPrecision(const TrackedPrecision&) = delete;
  TrackedPrecision& operator=(const TrackedPrecision&) = delete;

 private:
  double unit_, operand_unit_, operand_smallest_, mask_value_;
};

inline float exp(float a) { return std::exp(a); }
inline double exp(double a) { return std::exp(a); }
inline long double exp(long double a) { return std::exp(a); }
inline Tracked exp(Tracked a) {
  const double value = std::exp(a.v);
  const double own = Tracked::kFunctionUlps * Tracked::unit * value + Tracked::smallest;
  return {value, value * value * a.e + own * own, value * a.c};
}

inline float log(float a) { return std::log(a); }
inline double log(double a) { return std::log(a); }
inline long double log(long double a) { return std::log(a); }
inline Tracked log(Tracked a) {
  const double value = std::log(a.v);
  const double own = Tracked::kFunctionUlps * Tracked::unit * std::fabs(value) + Tracked::smallest;
  return {value, a.e / (a.v * a.v) + own * own, a.c / std::fabs(a.v)};
}

inline float sqrt(float a) { return std::sqrt(a); }
inline double sqrt(double a) { return std::sqrt(a); }
inline long double sqrt(long double a) { return std::sqrt(a); }
inline Tracked sqrt(Tracked a) {
  const double value = std::sqrt(a.v);
  if (value == 0) return {0, a.e, a.c};
  return Tracked::rounded(value, a.e / (4 * a.v), a.c / (2 * value));
}

// Of any finite angle: CUDA documents 2 ulp for both over the full range, so proper range reduction is part of the
// budget.
inline float sin(float a) { return std::sin(a); }
inline double sin(double a) { return std::sin(a); }
inline long double sin(long double a) { return std::sin(a); }
inline Tracked sin(Tracked a) {
  const double value = std::sin(a.v), slope = std::cos(a.v);
  const double own = Tracked::kFunctionUlps * Tracked::unit * std::fabs(value) + Tracked::smallest;
  return {value, slope * slope * a.e + own * own, std::fabs(slope) * a.c};
}

inline float cos(float a) { return std::cos(a); }
inline double cos(double a) { return std::cos(a); }
inline long double cos(long double a) { return std::cos(a); }
inline Tracked cos(Tracked a) {
  const double value = std::cos(a.v), slope = -std::sin(a.v);
  const double own = Tracked::kFunctionUlps * Tracked::unit * std::fabs(value) + Tracked::smallest;
  return {value, slope * slope * a.e + own * own, std::fabs(slope) * a.c};
}

// One rounded number that is used in many later terms: its error no longer averages out between them.
inline float shared(float a) { return a; }
inline double shared(double a) { return a; }
inline long double shared(long double a) { return a; }
inline Tracked shared(Tracked a) { return {a.v, 0, a.c + std::sqrt(a.e)}; }

// A computed number that goes into a further matrix product: tensor cores want it rounded to the case's dtype, and a
// kernel that does so declares it (Variant::rounds_operands).
// `repeats` terms of the same sum that came before were this very number, and were rounded to the same side.
// What the declared rounding makes of a number.
inline double rounded_operand(double a) {
  if (a == 0 || !std::isfinite(a)) return a;
  const double half_spacing = std::max(std::ldexp(Tracked::operand_unit, std::ilogb(a)), Tracked::operand_smallest);
  return half_spacing == 0 ? a : std::nearbyint(a / (2 * half_spacing)) * 2 * half_spacing;
}

inline float operand(float a, int64_t = 0) { return static_cast<float>(rounded_operand(a)); }
inline double operand(double a, int64_t = 0) { return a; }
inline long double operand(long double a, int64_t = 0) { return a; }
inline Tracked operand(Tracked a, int64_t repeats = 0) {
  if (rounded_operand(a.v) == a.v) return a;  // such as the weight 1 of a row's largest score
  const double bound = Tracked::operand_unit * std::fabs(a.v) + Tracked::operand_smallest;
  return {a.v, a.e + (2 * static_cast<double>(repeats) + 1) * bound * bound / 3, a.c};
}

// Counts equal numbers for operand(), where a budget needs it.
template <class S>
class Repeats {
 public:
  int64_t before(S) { return 0; }
};
template <>
class Repeats<Tracked> {
 public:
  // How often this number was asked about before.
  int64_t before(Tracked a) { return Tracked::operand_unit == 0 ? 0 : seen_[a.v]++; }

 private:
  std::unordered_map<double, int64_t> seen_;
};

inline double plain(float a) { return a; }
inline double plain(double a) { return a; }
inline double plain(long double a) { return static_cast<double>(a); }
inline double plain(Tracked a) { return a.v; }

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
