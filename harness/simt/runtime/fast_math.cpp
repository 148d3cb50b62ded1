// The functions of include/simt/fast_math.h with seeded errors.
//
// Bounds are those of the CUDA C++ Programming Guide, "Intrinsic Functions" (and of its standard functions for
// rsqrtf), in units in the last place (ulp) or absolute. Where it says "larger otherwise", for sines outside [-π, π],
// the PTX ISA's table for sin.approx does: 2^-20.5 up to 2π and 2^-14.7 up to 100π, which is |x|·2^-23, one rounding of
// the angle in turns. Special values are those of the PTX instructions: exp(±0) is 1, sin(±0) is ±0, and a result that
// is 0 or infinite stays so.
//
// This runs on the stacks of kernels' threads: it allocates nothing and calls the mathematical library only, through
// pointers that are bound when the program loads (-fno-plt; build/finish/callee_needs.h).
#include "harness/simt/include/simt/fast_math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "harness/simt/include/simt/rng.h"

namespace assay::simt {
namespace {

// A number in [-1, 1), the same whenever seed, function and arguments are.
double drawn(Approximate function, float x, float y) {
  const uint64_t arguments = uint64_t{std::bit_cast<uint32_t>(x)} << 32 | std::bit_cast<uint32_t>(y);
  const uint64_t of_function =
      Rng::mix(block.approximation + 0x9e3779b97f4a7c15u * (static_cast<uint64_t>(function) + 1));
  return static_cast<double>(static_cast<int64_t>(Rng::mix(of_function ^ Rng::mix(arguments + 1)))) * 0x1p-63;
}

// For a subnormal it is less than the step between two: no error turns its sign, or makes 1e-45 of 1e-43.
double ulp(double value) { return std::min(std::ldexp(1.0, std::ilogb(value) - 23), std::fabs(value) * 0x1p-23); }

// A float no farther than `bound` from `exact`, where one has to choose: not of 0, infinity and NaN.
float near(double exact, double draw, double bound) {
  const auto right = static_cast<float>(exact);
  if (right == 0 || !std::isfinite(right)) return right;
  const auto off = static_cast<float>(exact + draw * bound);
  if (!std::isfinite(off)) return right;
  return std::fabs(static_cast<double>(off) - exact) <= bound ? off : std::nextafter(off, right);
}

float logarithm(double exact, double x, double draw, double bound_near_1, double ulps) {
  return near(exact, draw, x >= 0.5 && x <= 2 ? bound_near_1 : ulps * ulp(exact));
}

float wave(double (*function)(double), double x, double draw, double bound) {
  const double exact = function(x);
  if (x == 0 || !std::isfinite(x)) return static_cast<float>(exact);
  const float value = std::fabs(x) <= std::numbers::pi
                          ? near(exact, draw, bound)
                          : static_cast<float>(function(x + draw * std::fabs(x) * 0x1p-23));
  return std::clamp(value, -1.0f, 1.0f);
}

// Divisors beyond 2^126 have a reciprocal that is flushed to 0.
float quotient(float x, float y, double draw) {
  if (std::fabs(y) > 0x1p126f && !std::isinf(y)) return x * std::copysign(0.0f, y);
  const double exact = static_cast<double>(x) / static_cast<double>(y);
  return near(exact, draw, 2 * ulp(exact));
}

}  // namespace

float approximated(Approximate function, float x, float y) {
  const double draw = drawn(function, x, y), wide = x;
  switch (function) {
    case Approximate::exp: {
      const double exact = std::exp(wide);
      return near(exact, draw, x == 0 ? 0 : (2 + std::floor(std::fabs(1.173 * wide))) * ulp(exact));
    }
    case Approximate::exp10: {
      const double exact = ::exp10(wide);
      return near(exact, draw, x == 0 ? 0 : (2 + std::floor(std::fabs(2.97 * wide))) * ulp(exact));
    }
    case Approximate::log:
      return logarithm(std::log(wide), wide, draw, 0x1p-21 * 0.75262, 3);  // 2^-21.41
    case Approximate::log2:
      return logarithm(std::log2(wide), wide, draw, 0x1p-22, 2);
    case Approximate::log10:
      return logarithm(std::log10(wide), wide, draw, 0x1p-24, 3);
    case Approximate::pow: {  // "derived from its implementation as exp2f(y * __log2f(x))"
      const double exact = std::exp2(static_cast<double>(y * approximated(Approximate::log2, x)));
      return near(exact, draw, 2 * ulp(exact));
    }
    case Approximate::sin:
      return wave(std::sin, wide, draw, 0x1p-21 * 0.75262);  // 2^-21.41
    case Approximate::cos:
      return wave(std::cos, wide, draw, 0x1p-21 * 0.87661);  // 2^-21.19
    case Approximate::tan:  // "derived from its implementation as __sinf(x) * (1/__cosf(x))"
      return quotient(approximated(Approximate::sin, x), approximated(Approximate::cos, x), draw);
    case Approximate::tanh: {
      const double exact = std::tanh(wide);
      return near(exact, draw, std::fabs(exact) * 0x1p-11);
    }
    case Approximate::quotient:
      return quotient(x, y, draw);
    case Approximate::reciprocal_root: {
      const double exact = 1 / std::sqrt(wide);
      return near(exact, draw, 2 * ulp(exact));
    }
  }
  return std::numeric_limits<float>::quiet_NaN();
}

}  // namespace assay::simt
