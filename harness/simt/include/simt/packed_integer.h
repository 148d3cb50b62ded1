// CUDA's SIMD intrinsics: a word as two halves or four bytes, each operated on by itself.
//
// A name says what and on which parts: __vadd2 wraps around, __vaddss4 saturates signed bytes, __vaddus4 unsigned ones;
// a comparison gives all ones where it holds (__vcmpeq4), or one (__vseteq4).
#pragma once

#include <cstdint>

namespace assay::simt {

template <class Part, class Operation>
constexpr unsigned each_part(unsigned a, unsigned b, Operation operation) {
  constexpr unsigned kBits = 8 * sizeof(Part), kMask = (1u << kBits) - 1;
  unsigned result = 0;
  for (unsigned shift = 0; shift < 32; shift += kBits)
    result |= (static_cast<unsigned>(operation(static_cast<int>(static_cast<Part>(a >> shift)),
                                               static_cast<int>(static_cast<Part>(b >> shift)))) &
               kMask)
              << shift;
  return result;
}

template <class Part, class Operation>
constexpr unsigned sum_of_parts(unsigned a, unsigned b, Operation operation) {
  unsigned sum = 0;
  for (unsigned shift = 0; shift < 32; shift += 8 * sizeof(Part))
    sum += static_cast<unsigned>(operation(static_cast<Part>(a >> shift), static_cast<Part>(b >> shift)));
  return sum;
}

template <class Part>
constexpr int saturated(int x) {
  constexpr int kLeast = Part(-1) < 0 ? -(1 << (8 * sizeof(Part) - 1)) : 0;
  constexpr int kGreatest = kLeast + (1 << 8 * sizeof(Part)) - 1;
  return x < kLeast ? kLeast : x > kGreatest ? kGreatest : x;
}

constexpr int distance(int a, int b) { return a < b ? b - a : a - b; }

}  // namespace assay::simt

#define ASSAY_PACKED(S, U, width)                                                                                     \
  ASSAY_PACKED_BINARY(__vadd##width, U, a + b)                                                                        \
  ASSAY_PACKED_BINARY(__vaddss##width, S, ::assay::simt::saturated<S>(a + b))                                         \
  ASSAY_PACKED_BINARY(__vaddus##width, U, ::assay::simt::saturated<U>(a + b))                                         \
  ASSAY_PACKED_BINARY(__vsub##width, U, a - b)                                                                        \
  ASSAY_PACKED_BINARY(__vsubss##width, S, ::assay::simt::saturated<S>(a - b))                                         \
  ASSAY_PACKED_BINARY(__vsubus##width, U, ::assay::simt::saturated<U>(a - b))                                         \
  ASSAY_PACKED_BINARY(__vavgs##width, S, (a + b + (a + b >= 0)) >> 1)                                                 \
  ASSAY_PACKED_BINARY(__vavgu##width, U, (a + b + 1) >> 1)                                                            \
  ASSAY_PACKED_BINARY(__vhaddu##width, U, (a + b) >> 1)                                                               \
  ASSAY_PACKED_BINARY(__vmaxs##width, S, a > b ? a : b)                                                               \
  ASSAY_PACKED_BINARY(__vmaxu##width, U, a > b ? a : b)                                                               \
  ASSAY_PACKED_BINARY(__vmins##width, S, a < b ? a : b)                                                               \
  ASSAY_PACKED_BINARY(__vminu##width, U, a < b ? a : b)                                                               \
  ASSAY_PACKED_BINARY(__vabsdiffs##width, S, ::assay::simt::distance(a, b))                                           \
  ASSAY_PACKED_BINARY(__vabsdiffu##width, U, ::assay::simt::distance(a, b))                                           \
  ASSAY_PACKED_COMPARISON(eq##width, U, a == b)                                                                       \
  ASSAY_PACKED_COMPARISON(ne##width, U, a != b)                                                                       \
  ASSAY_PACKED_COMPARISON(ges##width, S, a >= b)                                                                      \
  ASSAY_PACKED_COMPARISON(geu##width, U, a >= b)                                                                      \
  ASSAY_PACKED_COMPARISON(gts##width, S, a > b)                                                                       \
  ASSAY_PACKED_COMPARISON(gtu##width, U, a > b)                                                                       \
  ASSAY_PACKED_COMPARISON(les##width, S, a <= b)                                                                      \
  ASSAY_PACKED_COMPARISON(leu##width, U, a <= b)                                                                      \
  ASSAY_PACKED_COMPARISON(lts##width, S, a < b)                                                                       \
  ASSAY_PACKED_COMPARISON(ltu##width, U, a < b)                                                                       \
  inline unsigned __vabs##width(unsigned x) {                                                                         \
    return ::assay::simt::each_part<S>(x, 0, [](int a, int) { return a < 0 ? -a : a; });                              \
  }                                                                                                                   \
  inline unsigned __vabsss##width(unsigned x) {                                                                       \
    return ::assay::simt::each_part<S>(x, 0, [](int a, int) { return ::assay::simt::saturated<S>(a < 0 ? -a : a); }); \
  }                                                                                                                   \
  inline unsigned __vneg##width(unsigned x) {                                                                         \
    return ::assay::simt::each_part<S>(x, 0, [](int a, int) { return -a; });                                          \
  }                                                                                                                   \
  inline unsigned __vnegss##width(unsigned x) {                                                                       \
    return ::assay::simt::each_part<S>(x, 0, [](int a, int) { return ::assay::simt::saturated<S>(-a); });             \
  }                                                                                                                   \
  inline unsigned __vsads##width(unsigned x, unsigned y) {                                                            \
    return ::assay::simt::sum_of_parts<S>(x, y, [](int a, int b) { return ::assay::simt::distance(a, b); });          \
  }                                                                                                                   \
  inline unsigned __vsadu##width(unsigned x, unsigned y) {                                                            \
    return ::assay::simt::sum_of_parts<U>(x, y, [](int a, int b) { return ::assay::simt::distance(a, b); });          \
  }
#define ASSAY_PACKED_BINARY(name, Part, expression)                                       \
  inline unsigned name(unsigned x, unsigned y) {                                          \
    return ::assay::simt::each_part<Part>(x, y, [](int a, int b) { return expression; }); \
  }
#define ASSAY_PACKED_COMPARISON(name, Part, expression)          \
  ASSAY_PACKED_BINARY(__vcmp##name, Part, (expression) ? ~0 : 0) \
  ASSAY_PACKED_BINARY(__vset##name, Part, (expression) ? 1 : 0)
ASSAY_PACKED(int16_t, uint16_t, 2)
ASSAY_PACKED(int8_t, uint8_t, 4)
#undef ASSAY_PACKED_COMPARISON
#undef ASSAY_PACKED_BINARY
#undef ASSAY_PACKED
