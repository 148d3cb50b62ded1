// The common part of the references of gelu_forward and gelu_backward: tanh and erf with their errors, and the two
// curves.
//
//   form=tanh: G(x) = 0.5 x (1 + tanh u), u = sqrt(2/pi) (x + 0.044715 x³), by Hendrycks and Gimpel, arXiv:1606.08415
//
//   form=erf: G(x) = 0.5 x (1 + erf(x / sqrt 2)), which is x times the normal distribution's Phi(x)
//
// CUDA documents 2 ulp for tanhf and erff, near ±1 as elsewhere: a gate may miss 0 or 2 by that much, and the curve by
// x times it. Only the slope by tanh needs more of its kernel. The error of 1 - tanh² is multiplied by x³
// there, so tanh must be ±1 from where f32 rounds it to that, as CUDA's is (libdevice's selects 1 for |u| >= 9.0109)
// and as those made of exponentials are.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "harness/op/tracked.h"

namespace assay::reference {

// sqrt(2/pi) and the cubic term's factor, as kernels write them.
inline constexpr double kGeluScale = 0.7978845608028654, kGeluCubic = 0.044715;

// The standard deviation that stands for the own error of tanh and erf.
inline double own_error_of_sigmoid(double value) {
  return Tracked::kFunctionUlps * Tracked::unit * std::fabs(value) + Tracked::smallest;
}

// The relative error of tanh.approx.f32 (PTX ISA), which nvcc takes for tanhf under -use_fast_math since CUDA 13.
inline constexpr double kApproximateTanh = 0x1p-11;

inline float tanh(float a) { return std::tanh(a); }
inline double tanh(double a) { return std::tanh(a); }
inline long double tanh(long double a) { return std::tanh(a); }
inline Tracked tanh(Tracked a) {
  watch(Watched::tanh, a.v);
  const double value = std::tanh(a.v), cosh = std::cosh(a.v);
  const double slope = std::isinf(cosh) ? 0 : 1 / (cosh * cosh);
  const double own = Tracked::fast_math ? kApproximateTanh * std::fabs(value) : own_error_of_sigmoid(value);
  return {value, slope * slope * a.e + own * own, slope * a.c};
}

inline float erf(float a) { return std::erf(a); }
inline double erf(double a) { return std::erf(a); }
inline long double erf(long double a) { return std::erf(a); }
inline Tracked erf(Tracked a) {
  watch(Watched::erf, a.v);
  const double value = std::erf(a.v), slope = 2 * std::numbers::inv_sqrtpi * std::exp(-a.v * a.v);
  const double own = own_error_of_sigmoid(value);
  return {value, slope * slope * a.e + own * own, slope * a.c};
}

// tanh that is ±1 where it rounds to that.
template <class S>
S saturating_tanh(S a) {
  S result = tanh(a);
  if constexpr (std::is_same_v<S, Tracked>) {
    const double missing = 2 / (std::exp(2 * std::fabs(a.v)) + 1);
    if (missing < Tracked::unit / 4 && !Tracked::fast_math) result.e = missing * missing;
  }
  return result;
}

// 1 + f(x), with f as above; the share of x that passes is half of it.
template <class S>
S gelu_gate(S x, bool by_erf) {
  if (by_erf) return S(1) + erf(x * S(std::numbers::sqrt2 / 2));
  return S(1) + tanh(S(kGeluScale) * (x + S(kGeluCubic) * x * x * x));
}

template <class S>
S gelu(S x, bool by_erf) {
  return S(0.5) * x * gelu_gate(x, by_erf);
}

// dG/dx.
template <class S>
S gelu_slope(S x, bool by_erf) {
  const S gate = S(0.5) * gelu_gate(x, by_erf);
  if (by_erf) {
    const S density = S(std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2) * exp(S(-0.5) * x * x);
    return gate + x * density;
  }
  const S t = saturating_tanh(S(kGeluScale) * (x + S(kGeluCubic) * x * x * x));
  const S du = S(kGeluScale) * (S(1) + S(3 * kGeluCubic) * x * x);
  return gate + S(0.5) * x * (S(1) - t * t) * du;
}

}  // namespace assay::reference
