// Sizes of a case as parameters of at most 32 bits, for the generated file around a user's kernel: a size that does not
// fit is no case of the kernel, whose callers cannot pass it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "harness/case/case.h"

namespace assay::adapter {

// An argument, and whether it had more than 32 bits.
template <class P>
struct Narrow {
  P value = {};
  bool is_cut_off = false;

  Narrow() = default;
  template <class A>
  requires std::convertible_to<A, P> Narrow(A a) : value(static_cast<P>(a)) {
    if constexpr (std::is_integral_v<A> && sizeof(A) > 4) is_cut_off = (static_cast<int64_t>(a) >> 32) > 0;
  }
};
template <class P>
using Argument = std::conditional_t<std::is_integral_v<P> && sizeof(P) <= 4, Narrow<P>, P>;

template <class P>
bool is_cut_off(const P&) {
  return false;
}
template <class P>
bool is_cut_off(const Narrow<P>& argument) {
  return argument.is_cut_off;
}
template <class P>
P& passed(P& argument) {
  return argument;
}
template <class P>
P& passed(Narrow<P>& argument) {
  return argument.value;
}

inline constexpr const char* kCutOff = "a size of 2^32 and more does not fit a parameter of 32 bits";

// Whether a size of the case has more than 32 bits.
inline bool may_be_cut_off(const Case& c) {
  return std::ranges::any_of(c.params, [](const Param& param) { return param.integer().value_or(0) > UINT32_MAX; });
}

}  // namespace assay::adapter
