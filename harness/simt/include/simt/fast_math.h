// The functions that a GPU only approximates, with errors as large as its documentation allows.
//
// A GPU's __expf is not the host's expf, and no formula here would have its bits. So a launch without a seed
// (Options::approximation) gets the host's functions, and a seeded one gets an error for each value, of seeded sign and
// size inside the bound that CUDA's documentation gives: what such a kernel still gets right, it gets right on a GPU.
// The error depends on the seed, the function and the bits of its arguments alone, so equal calls agree, as on a GPU.
// Out of line (runtime/fast_math.cpp), because a kernel that uses none of them pays nothing and one that does a look at
// one word.
//
// With __USE_FAST_MATH__ (what nvcc defines for -use_fast_math) expf and its like are the intrinsics. Limits: the
// overloads exp(float) and std::exp(float) stay the host's, and so do the operators / and the flushing of subnormals.
#pragma once

#include <math.h>

#include <cstdint>

#include "harness/simt/include/simt/fiber.h"

#pragma GCC visibility push(default)
namespace assay::simt {

enum class Approximate : uint32_t { exp, exp10, log, log2, log10, pow, sin, cos, tan, tanh, quotient, reciprocal_root };

// The function of x, or of x and y, off by an error that block.approximation seeds.
__attribute__((pure)) float approximated(Approximate function, float x, float y = 0);

}  // namespace assay::simt
#pragma GCC visibility pop

// The library's functions under names of ours: with -use_fast_math the usual ones are taken. The attribute says of
// these what the compiler knows of the usual ones: they change no memory, so what is in registers stays there.
#define ASSAY_OF_THE_LIBRARY(name) \
  extern "C" __attribute__((const)) float assay_simt_##name(float x) noexcept asm(#name);
ASSAY_OF_THE_LIBRARY(expf)
ASSAY_OF_THE_LIBRARY(logf)
ASSAY_OF_THE_LIBRARY(log2f)
ASSAY_OF_THE_LIBRARY(log10f)
ASSAY_OF_THE_LIBRARY(sinf)
ASSAY_OF_THE_LIBRARY(cosf)
ASSAY_OF_THE_LIBRARY(tanf)
ASSAY_OF_THE_LIBRARY(tanhf)
#undef ASSAY_OF_THE_LIBRARY
extern "C" __attribute__((const)) float assay_simt_powf(float x, float y) noexcept asm("powf");

namespace assay::simt {

ASSAY_SIMT_INLINE bool approximates() { return __builtin_expect(quiet_load(block.approximation) != 0, 0); }

inline float exact_exp10(float x) { return static_cast<float>(::pow(10.0, static_cast<double>(x))); }
inline float exact_reciprocal_root(float x) { return static_cast<float>(1.0 / ::sqrt(static_cast<double>(x))); }

}  // namespace assay::simt

#define ASSAY_APPROXIMATE(name, function, exact)                                                                    \
  inline float name(float x) {                                                                                      \
    if (::assay::simt::approximates()) return ::assay::simt::approximated(::assay::simt::Approximate::function, x); \
    return exact(x);                                                                                                \
  }
ASSAY_APPROXIMATE(__expf, exp, assay_simt_expf)
ASSAY_APPROXIMATE(__exp10f, exp10, ::assay::simt::exact_exp10)
ASSAY_APPROXIMATE(__logf, log, assay_simt_logf)
ASSAY_APPROXIMATE(__log2f, log2, assay_simt_log2f)
ASSAY_APPROXIMATE(__log10f, log10, assay_simt_log10f)
ASSAY_APPROXIMATE(__sinf, sin, assay_simt_sinf)
ASSAY_APPROXIMATE(__cosf, cos, assay_simt_cosf)
ASSAY_APPROXIMATE(__tanf, tan, assay_simt_tanf)
ASSAY_APPROXIMATE(__tanhf, tanh, assay_simt_tanhf)
ASSAY_APPROXIMATE(rsqrtf, reciprocal_root, ::assay::simt::exact_reciprocal_root)
#undef ASSAY_APPROXIMATE

inline void __sincosf(float x, float* s, float* c) { *s = __sinf(x), *c = __cosf(x); }
inline float __powf(float x, float y) {
  if (::assay::simt::approximates()) return ::assay::simt::approximated(::assay::simt::Approximate::pow, x, y);
  return assay_simt_powf(x, y);
}
inline float __fdividef(float x, float y) {
  if (::assay::simt::approximates()) return ::assay::simt::approximated(::assay::simt::Approximate::quotient, x, y);
  return x / y;
}

#if defined(__USE_FAST_MATH__)
#define ASSAY_FAST(name) \
  extern inline __attribute__((gnu_inline, always_inline)) float name(float x) noexcept { return __##name(x); }
extern "C" {
ASSAY_FAST(expf)
ASSAY_FAST(exp10f)
ASSAY_FAST(logf)
ASSAY_FAST(log2f)
ASSAY_FAST(log10f)
ASSAY_FAST(sinf)
ASSAY_FAST(cosf)
ASSAY_FAST(tanf)
ASSAY_FAST(tanhf)
extern inline __attribute__((gnu_inline, always_inline)) float powf(float x, float y) noexcept { return __powf(x, y); }
extern inline __attribute__((gnu_inline, always_inline)) void sincosf(float x, float* s, float* c) noexcept {
  __sincosf(x, s, c);
}
}
#undef ASSAY_FAST
#endif
