// EXPECT: PASS: a word's halves and bytes, each operated on by itself, as a loop over them says.
// RUNS IN: fast
#include <cstdlib>

#include "harness/simt/tests/kernel_test.h"

namespace {

struct Operation {
  unsigned (*packed)(unsigned, unsigned);
  long long (*part)(long long a, long long b);
  int bits;
  bool is_signed, saturates;
};

long long part_of(unsigned word, int at, const Operation& operation) {
  const long long raw = word >> at & ((1u << operation.bits) - 1);
  return operation.is_signed && (raw >> (operation.bits - 1)) != 0 ? raw - (1LL << operation.bits) : raw;
}

unsigned by_parts(unsigned a, unsigned b, const Operation& operation) {
  unsigned word = 0;
  for (int at = 0; at < 32; at += operation.bits) {
    long long value = operation.part(part_of(a, at, operation), part_of(b, at, operation));
    const long long span = 1LL << operation.bits, least = operation.is_signed ? -span / 2 : 0;
    if (operation.saturates && value < least) value = least;
    if (operation.saturates && value >= least + span) value = least + span - 1;
    word |= static_cast<unsigned>(value & (span - 1)) << at;
  }
  return word;
}

#define SIGNED(name, expression)                                                                     \
  {__##name##2, [](long long a, long long b) -> long long { return expression; }, 16, true, true}, { \
    __##name##4, [](long long a, long long b) -> long long { return expression; }, 8, true, true     \
  }
#define UNSIGNED(name, expression)                                                                    \
  {__##name##2, [](long long a, long long b) -> long long { return expression; }, 16, false, true}, { \
    __##name##4, [](long long a, long long b) -> long long { return expression; }, 8, false, true     \
  }

const Operation kOperations[] = {
    SIGNED(vaddss, a + b),
    UNSIGNED(vaddus, a + b),
    SIGNED(vsubss, a - b),
    UNSIGNED(vsubus, a - b),
    SIGNED(vavgs, a + b < 0 ? -((1 - (a + b)) / 2) : (a + b + 1) / 2),
    UNSIGNED(vavgu, (a + b + 1) / 2),
    UNSIGNED(vhaddu, (a + b) / 2),
    SIGNED(vmaxs, a > b ? a : b),
    UNSIGNED(vmaxu, a > b ? a : b),
    SIGNED(vmins, a < b ? a : b),
    UNSIGNED(vminu, a < b ? a : b),
    UNSIGNED(vabsdiffu, std::llabs(a - b)),
    SIGNED(vcmpges, a >= b ? -1 : 0),
    SIGNED(vcmpgts, a > b ? -1 : 0),
    SIGNED(vcmples, a <= b ? -1 : 0),
    SIGNED(vcmplts, a < b ? -1 : 0),
    SIGNED(vcmpeq, a == b ? -1 : 0),
    SIGNED(vcmpne, a != b ? -1 : 0),
    UNSIGNED(vsetgeu, a >= b),
    UNSIGNED(vsetgtu, a > b),
    UNSIGNED(vsetleu, a <= b),
    UNSIGNED(vsetltu, a < b),
    UNSIGNED(vseteq, a == b),
    UNSIGNED(vsetne, a != b),
    SIGNED(vsetges, a >= b),
    SIGNED(vsetlts, a < b),
};
const Operation kWrapping[] = {
    {__vadd2, [](long long a, long long b) { return a + b; }, 16, false, false},
    {__vadd4, [](long long a, long long b) { return a + b; }, 8, false, false},
    {__vsub2, [](long long a, long long b) { return a - b; }, 16, false, false},
    {__vsub4, [](long long a, long long b) { return a - b; }, 8, false, false},
    {__vabsdiffs2, [](long long a, long long b) { return std::llabs(a - b); }, 16, true, false},
    {__vabsdiffs4, [](long long a, long long b) { return std::llabs(a - b); }, 8, true, false},
    {[](unsigned a, unsigned) { return __vabs4(a); }, [](long long a, long long) { return std::llabs(a); }, 8, true,
     false},
    {[](unsigned a, unsigned) { return __vabsss4(a); }, [](long long a, long long) { return std::llabs(a); }, 8, true,
     true},
    {[](unsigned a, unsigned) { return __vneg2(a); }, [](long long a, long long) { return -a; }, 16, true, false},
    {[](unsigned a, unsigned) { return __vnegss2(a); }, [](long long a, long long) { return -a; }, 16, true, true},
};

const char* wrong_packed_integers() {
  unsigned state = 12345;
  const auto next = [&] { return state = state * 1664525u + 1013904223u; };
  for (int i = 0; i < 500; ++i) {
    const unsigned edge = i % 2 == 0 ? 0x80808080u : 0, a = next() ^ next() >> 16 ^ edge,
                   b = i % 5 == 0 ? a : next() ^ next() >> 16;
    for (const Operation& operation : kOperations)
      if (operation.packed(a, b) != by_parts(a, b, operation)) return "a packed operation is wrong";
    for (const Operation& operation : kWrapping)
      if (operation.packed(a, b) != by_parts(a, b, operation)) return "a packed operation that wraps is wrong";
    unsigned sums[2] = {0, 0};
    for (int at = 0; at < 32; at += 8)
      sums[0] += static_cast<unsigned>(std::abs(static_cast<int>(a >> at & 255) - static_cast<int>(b >> at & 255)));
    for (int at = 0; at < 32; at += 16)
      sums[1] += static_cast<unsigned>(std::abs(static_cast<short>(a >> at) - static_cast<short>(b >> at)));
    if (__vsadu4(a, b) != sums[0] || __vsads2(a, b) != sums[1]) return "a sum of differences is wrong";
  }
  return "";
}

}  // namespace

ASSAY_KERNEL_TEST(packed_integers) {
  static const char* const kWrong = wrong_packed_integers();  // no kernel runs, so no schedule matters
  return kWrong;
}
