// Roundings of intermediate results, which kernels declare and references know by name.
//
// A reference asks ReferenceIo for a rounding by its name, once, and puts every number that such a kernel rounds
// through it: `const auto round_p = io.rounding("p"); … round_p(p)`. For a variant that declares the name, Tracked adds
// the variance of rounding to the case's dtype and float rounds. Else, and for double and long double always, numbers
// come through as they are: what is right does not depend on what a kernel declares.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "harness/op/tracked.h"

namespace assay {

// `value` rounded to the nearest number of a format, which `unit` and `smallest` describe as Precision does.
inline double rounded_to(double value, double unit, double smallest) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double half_spacing = std::max(std::ldexp(unit, std::ilogb(value)), smallest);
  return half_spacing == 0 ? value : std::nearbyint(value / (2 * half_spacing)) * 2 * half_spacing;
}

// `repeats` numbers of the same sum that came before were this very one, and were rounded to the same side.
inline Tracked with_rounding(Tracked a, double unit, double smallest, int64_t repeats = 0) {
  if (rounded_to(a.v, unit, smallest) == a.v) return a;  // such as the weight 1 of a row's largest score
  const double bound = unit * std::fabs(a.v) + smallest;
  return {a.v, a.e + (2 * static_cast<double>(repeats) + 1) * bound * bound / 3, a.c};
}

template <class S>
class Rounding {
 public:
  explicit Rounding(bool declared) : declared_(declared) {}
  bool declared() const { return declared_; }

  S operator()(S value, int64_t repeats = 0) const {
    if (!declared_) return value;
    if constexpr (std::is_same_v<S, Tracked>)
      return with_rounding(value, Tracked::rounds_unit, Tracked::rounds_smallest, repeats);
    if constexpr (std::is_same_v<S, float>)
      return static_cast<float>(rounded_to(value, Tracked::rounds_unit, Tracked::rounds_smallest));
    return value;
  }

 private:
  bool declared_;
};

// A number as it enters a matrix product: rounded by kernels that declare that.
inline double operand(double a) { return a; }
inline long double operand(long double a) { return a; }
inline float operand(float a) {
  const OperandFormat& format = Tracked::operands;
  if (format.unit == 0) return a;
  const auto rounded = static_cast<float>(rounded_to(a, format.unit, format.smallest));
  return std::fabs(rounded) > format.largest ? std::copysign(std::numeric_limits<float>::infinity(), a) : rounded;
}
inline Tracked operand(Tracked a) {
  const OperandFormat& format = Tracked::operands;
  if (format.unit == 0) return a;
  if (std::fabs(a.v) > format.largest) return {a.v, Tracked::unknown().e, a.c};
  return with_rounding(a, format.unit, format.smallest);
}

// The change of an operand as it is rounded; 0 for one that is not finite, or becomes so.
inline double lost_by_operand(double a) {
  if (!std::isfinite(a) || std::fabs(a) > Tracked::operands.largest) return 0;
  return rounded_to(a, Tracked::operands.unit, Tracked::operands.smallest) - a;
}

// Counts equal numbers for a rounding, where a budget needs it.
template <class S>
class Repeats {
 public:
  // How often this number was asked about before.
  int64_t before(const Rounding<S>& rounding, S a) {
    if constexpr (std::is_same_v<S, Tracked>) return rounding.declared() ? seen_[a.v]++ : 0;
    return 0;
  }

 private:
  std::unordered_map<double, int64_t> seen_;
};

}  // namespace assay
