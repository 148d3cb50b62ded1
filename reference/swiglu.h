// The logistic function without overflow, shared by the references of swiglu_forward, swiglu_backward and gemm_swiglu.
//
// exp(-|a|) is at most 1, so nothing overflows for any a. A kernel may do with 1 / (1 + exp(-a)), and loses something:
// where exp(-a) is beyond f32, that is 0, and from a = 17 on it is 1, so that 1 - s is 0. Both are honest, and both
// lose all of a number that is too small to matter: the budget has room for it.
#pragma once

#include <algorithm>
#include <cmath>

#include "harness/op/tracked.h"

namespace assay::reference {

// `value`, all of which may be lost as far as it is below `most`.
template <class S>
S may_lose(S value, double) {
  return value;
}
inline Tracked may_lose(Tracked value, double most) {
  return {value.v, value.e, value.c + std::min(std::fabs(value.v), most)};
}

template <class S>
struct Logistic {
  S value, complement;  // s and 1 - s
};

// s = 1 / (1 + exp(-a)).
template <class S>
Logistic<S> logistic(S a) {
  watch_tracked(Watched::gate, a);
  const bool positive = plain(a) >= 0;
  const S small = exp(positive ? -a : a);
  const S larger_part = S(1) / (S(1) + small), smaller_part = small / (S(1) + small);
  if (positive) return {larger_part, may_lose(smaller_part, 2 * Tracked::unit)};
  return {may_lose(smaller_part, 0x1p-126), larger_part};
}

}  // namespace assay::reference
