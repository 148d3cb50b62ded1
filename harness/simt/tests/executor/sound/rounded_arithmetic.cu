// EXPECT: PASS: float arithmetic rounded down, up and to zero has the bits that the processor gives in that mode.
// RUNS IN: fast
#include <cfenv>

#include "harness/simt/tests/kernel_test.h"

namespace {

// The operations are behind volatile operands: the compiler knows nothing of modes.
float by_mode(int mode, int operation, volatile float a, volatile float b, volatile float c) {
  std::fesetround(mode);
  volatile float result = 0;
  if (operation == 0) result = a + b;
  if (operation == 1) result = a - b;
  if (operation == 2) result = a * b;
  if (operation == 3) result = a / b;
  if (operation == 4) result = ::fmaf(a, b, c);
  if (operation == 5) result = 1.0f / a;
  if (operation == 6) result = ::sqrtf(a);
  std::fesetround(FE_TONEAREST);
  return result;
}

#define BY_INTRINSIC(suffix)                                                                           \
  float by_##suffix(int operation, float a, float b, float c) {                                        \
    const float all[] = {                                                                              \
        __fadd_##suffix(a, b),    __fsub_##suffix(a, b), __fmul_##suffix(a, b), __fdiv_##suffix(a, b), \
        __fmaf_##suffix(a, b, c), __frcp_##suffix(a),    __fsqrt_##suffix(a)};                         \
    return all[operation];                                                                             \
  }
BY_INTRINSIC(rd)
BY_INTRINSIC(ru)
BY_INTRINSIC(rz)

bool same(float a, float b) { return (isnan(a) && isnan(b)) || __float_as_uint(a) == __float_as_uint(b); }

const char* wrong_rounded_arithmetic() {
  const float edges[] = {0.0f,    1.0f,     -1.0f,  3.0f,     0.1f,     -0.3f,    1e30f,
                         3.4e38f, -3.4e38f, 1e-30f, 1.5e-38f, INFINITY, -INFINITY};
  unsigned state = 1;
  const auto next = [&] {
    state = state * 1664525u + 1013904223u;
    const unsigned exponent = 127 - 30 + (state >> 8) % 60;
    return __uint_as_float((state & 0x807fffffu) | exponent << 23);
  };
  for (int i = 0; i < 3000; ++i) {
    const float a = i % 3 == 0 ? edges[i / 3 % 13] : next(), b = i % 4 == 0 ? edges[i / 4 % 13] : next(), c = next();
    for (int operation = 0; operation < 7; ++operation)
      if (!same(by_rd(operation, a, b, c), by_mode(FE_DOWNWARD, operation, a, b, c)) ||
          !same(by_ru(operation, a, b, c), by_mode(FE_UPWARD, operation, a, b, c)) ||
          !same(by_rz(operation, a, b, c), by_mode(FE_TOWARDZERO, operation, a, b, c)))
        return "arithmetic rounded in a direction is wrong";
  }
  return "";
}

}  // namespace

ASSAY_KERNEL_TEST(rounded_arithmetic) {
  static const char* const kWrong = wrong_rounded_arithmetic();  // no kernel runs, so no schedule matters
  return kWrong;
}
