// Float arithmetic rounded down, up and to zero: the nearest result, moved by one unit where its error has the wrong
// sign. The error of a sum, product, quotient or root is itself a float, which fused multiply-adds give exactly.
#pragma once

#include <math.h>

namespace assay::simt {

enum class Rounding { down, up, zero };

// `error`: the exact result less the rounded one; only its sign matters.
inline float rounded(float nearest, double error, Rounding rounding) {
  if (isnan(nearest) || isnan(error) || (rounding == Rounding::zero && nearest == 0)) return nearest;
  const bool down = rounding == Rounding::down || (rounding == Rounding::zero && nearest > 0);
  if (down && error < 0) return ::nextafterf(nearest, -INFINITY);
  if (!down && error > 0) return ::nextafterf(nearest, INFINITY);
  return nearest;
}

// Where the nearest result is infinite and no operand was, the exact one lies between it and the largest float.
inline double error_of_overflow(float nearest) { return nearest > 0 ? -1 : 1; }

// x - x is -0 when rounded down.
inline float rounded_zero(float nearest, bool opposite_signs, Rounding rounding) {
  return opposite_signs && rounding == Rounding::down ? -0.0f : nearest;
}

inline float rounded_sum(float a, float b, Rounding rounding) {
  const float sum = a + b;
  if (isinf(sum)) return rounded(sum, isinf(a) || isinf(b) ? 0 : error_of_overflow(sum), rounding);
  const float b_there = sum - a, error = (a - (sum - b_there)) + (b - b_there);
  if (sum == 0 && error == 0) return rounded_zero(sum, signbit(a) != signbit(b), rounding);
  return rounded(sum, error, rounding);
}
inline float rounded_product(float a, float b, Rounding rounding) {
  const float nearest = a * b;
  if (isinf(nearest)) return rounded(nearest, isinf(a) || isinf(b) ? 0 : error_of_overflow(nearest), rounding);
  return rounded(nearest, static_cast<double>(a) * b - nearest, rounding);
}
inline float rounded_fused(float a, float b, float c, Rounding rounding) {
  const double product = static_cast<double>(a) * b, sum = product + c;  // the product is exact
  const float nearest = ::fmaf(a, b, c);
  if (isinf(nearest)) return rounded(nearest, isinf(sum) ? 0 : error_of_overflow(nearest), rounding);
  const double c_there = sum - product, rest = (product - (sum - c_there)) + (c - c_there);
  const double error = (sum - nearest) + rest;
  if (nearest == 0 && error == 0) return rounded_zero(nearest, signbit(product) != signbit(c), rounding);
  return rounded(nearest, error, rounding);
}
inline float rounded_quotient(float a, float b, Rounding rounding) {
  const float nearest = a / b;
  if (isinf(nearest)) return rounded(nearest, isinf(a) || b == 0 ? 0 : error_of_overflow(nearest), rounding);
  const double error = isinf(b) ? 0 : ::fma(-static_cast<double>(nearest), b, a);
  return rounded(nearest, b > 0 ? error : -error, rounding);
}
inline float rounded_root(float a, Rounding rounding) {
  const float nearest = ::sqrtf(a);
  return rounded(nearest, isinf(a) ? 0 : ::fma(-static_cast<double>(nearest), nearest, a), rounding);
}

}  // namespace assay::simt

#define ASSAY_ROUNDED(suffix, how)                                                                               \
  inline float __fadd_##suffix(float a, float b) { return ::assay::simt::rounded_sum(a, b, how); }               \
  inline float __fsub_##suffix(float a, float b) { return ::assay::simt::rounded_sum(a, -b, how); }              \
  inline float __fmul_##suffix(float a, float b) { return ::assay::simt::rounded_product(a, b, how); }           \
  inline float __fmaf_##suffix(float a, float b, float c) { return ::assay::simt::rounded_fused(a, b, c, how); } \
  inline float __fdiv_##suffix(float a, float b) { return ::assay::simt::rounded_quotient(a, b, how); }          \
  inline float __frcp_##suffix(float a) { return ::assay::simt::rounded_quotient(1.0f, a, how); }                \
  inline float __fsqrt_##suffix(float a) { return ::assay::simt::rounded_root(a, how); }
ASSAY_ROUNDED(rd, ::assay::simt::Rounding::down)
ASSAY_ROUNDED(ru, ::assay::simt::Rounding::up)
ASSAY_ROUNDED(rz, ::assay::simt::Rounding::zero)
#undef ASSAY_ROUNDED
