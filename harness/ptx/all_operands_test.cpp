// Instructions on 16-bit operands, on all of them, and rounding in f64, against independent statements of PTX ISA 9.0.
#pragma GCC optimize("O2")  // millions of operands: ten times as fast

#include <gmock/gmock.h>

#include "harness/base/rng.h"
#include "harness/ptx/test_small_float_table.h"
#include "harness/simt/include/ptx/convert.h"

namespace assay::ptx {
namespace {

// The modifiers change the nearest result so: .sat into [0, 1] with NaN 0, .relu below 0 to 0, .ftz subnormals to 0.
template <class T>
uint16_t modified(uint16_t bits, uint32_t m) {
  const uint16_t one = std::is_same_v<T, f16> ? 0x3c00 : 0x3f80, least = std::is_same_v<T, f16> ? 0x0400 : 0x0080;
  const bool nan = (bits & 0x7fff) > (std::is_same_v<T, f16> ? 0x7c00 : 0x7f80), minus = (bits & 0x8000) != 0;
  if ((m & kFtz) != 0 && (bits & 0x7fff) < least) bits = minus ? 0x8000 : 0;
  if ((m & kSat) != 0) return nan || minus ? 0 : std::min(bits, one);
  if ((m & kRelu) != 0) return nan ? bits : minus ? uint16_t{0} : bits;
  return bits;
}

template <class T, uint32_t m>
void arithmetic_on_all_operands() {
  const std::vector<uint16_t> others = edges<T>();
  Rng rng(m);
  for (uint32_t first = 0; first < 0x10000; ++first)
    for (size_t i = 0; i < others.size(); i += 7) {
      const auto bits = [](uint32_t x) {
        return (m & kFtz) != 0 ? modified<T>(static_cast<uint16_t>(x), kFtz) : static_cast<uint16_t>(x);
      };
      const T a{static_cast<uint16_t>(first)}, b{others[(i + first) % others.size()]},
          c{static_cast<uint16_t>(rng.next())};
      const double x = Table<T>::value_of(bits(a.bits)), y = Table<T>::value_of(bits(b.bits)),
                   z = Table<T>::value_of(bits(c.bits));
      const bool minus_a = (a.bits & 0x8000) != 0, minus_b = (b.bits & 0x8000) != 0;
      const auto want = [&](Exact exact, bool minus_zero) {
        return modified<T>(table<T>().nearest(exact, minus_zero), m);
      };
      if constexpr ((m & kRelu) == 0) {
        ASSERT_EQ((add<T, m>(a, b).bits), want(Exact{x} + y, minus_a && minus_b)) << first << " + " << b.bits;
        ASSERT_EQ((sub<T, m>(a, b).bits), want(Exact{x} - y, minus_a && !minus_b)) << first << " - " << b.bits;
        ASSERT_EQ((mul<T, m>(a, b).bits), want(Exact{x} * y, minus_a != minus_b)) << first << " * " << b.bits;
      }
      const Exact product = Exact{x} * y, sum = product + z;
      if (sum - product != z && sum - sum == 0) continue;  // not exact in 113 bits
      const bool minus_zero = minus_a != minus_b && (c.bits & 0x8000) != 0;
      ASSERT_EQ((fma<T, m>(a, b, c).bits), want(sum, minus_zero)) << first << " * " << b.bits << " + " << c.bits;
    }
}
TEST(AllOperands, F16IsRoundedOnce) { arithmetic_on_all_operands<f16, 0>(); }
TEST(AllOperands, F16WithModifiers) {
  arithmetic_on_all_operands<f16, kSat>();
  arithmetic_on_all_operands<f16, kRelu>();
  arithmetic_on_all_operands<f16, kFtz>();
  arithmetic_on_all_operands<f16, kFtz | kSat>();
}
TEST(AllOperands, Bf16IsRoundedOnce) {
  arithmetic_on_all_operands<bf16, 0>();
  arithmetic_on_all_operands<bf16, kRelu>();
}

template <class T, uint32_t m>
void extremes_of_all_operands() {
  for (const uint16_t second : edges<T>())
    for (uint32_t first = 0; first < 0x10000; ++first) {
      const T a{static_cast<uint16_t>(first)}, b{second};
      const double x = Table<T>::value_of(a.bits), y = Table<T>::value_of(b.bits);
      const bool nan = (m & kNan) != 0 ? x != x || y != y : x != x && y != y;
      const auto is_less = [](double p, double q) { return p < q || (p == q && std::signbit(p) && !std::signbit(q)); };
      const uint16_t least = nan ? 0x7fff : x != x ? b.bits : y != y || is_less(x, y) ? a.bits : b.bits;
      const uint16_t most = nan ? 0x7fff : x != x ? b.bits : y != y || is_less(y, x) ? a.bits : b.bits;
      ASSERT_EQ((min<T, m>(a, b).bits), modified<T>(least, m & kRelu)) << first << " " << second;
      ASSERT_EQ((max<T, m>(a, b).bits), modified<T>(most, m & kRelu)) << first << " " << second;
    }
}
TEST(AllOperands, MinAndMax) {
  extremes_of_all_operands<f16, 0>();
  extremes_of_all_operands<f16, kNan>();
  extremes_of_all_operands<bf16, kRelu>();
  extremes_of_all_operands<bf16, kNan | kRelu>();
}

template <class T>
void conversions_of_all_operands() {
  for (uint32_t first = 0; first < 0x10000; ++first) {
    const T a{static_cast<uint16_t>(first)};
    const double x = Table<T>::value_of(a.bits);
    const auto in = [&](double whole, double least, double most) {
      return x != x ? 0.0 : std::min(std::max(whole, least), most);
    };
    const float wide = cvt<float, T, 0>(a);
    ASSERT_TRUE(x != x ? as<uint32_t>(wide) == kNanBits
                       : static_cast<double>(wide) == x && std::signbit(wide) == std::signbit(x))
        << first;
    ASSERT_EQ((cvt<T, float, 0>(wide).bits), x != x ? 0x7fff : first) << "there and back";
    ASSERT_EQ((neg<T, 0>(a).bits), x != x ? 0x7fff : first ^ 0x8000) << first;
    ASSERT_EQ((abs<T, 0>(a).bits), x != x ? 0x7fff : first & 0x7fff) << first;
    ASSERT_EQ((cvt<int8_t, T, kRni>(a)), in(std::nearbyint(x), -128, 127)) << first;
    ASSERT_EQ((cvt<uint16_t, T, kRmi>(a)), in(std::floor(x), 0, 65535)) << first;
    ASSERT_EQ((cvt<int32_t, T, kRpi>(a)), in(std::ceil(x), -0x1p31, 0x1p31 - 1)) << first;
    ASSERT_EQ((cvt<uint32_t, T, kRzi>(a)), in(std::trunc(x), 0, 0x1p32 - 1)) << first;
    ASSERT_EQ((cvt<T, uint16_t, 0>(static_cast<uint16_t>(first)).bits), table<T>().nearest(first, false)) << first;
    ASSERT_EQ((cvt<T, int16_t, 0>(static_cast<int16_t>(first)).bits),
              table<T>().nearest(static_cast<int16_t>(first), false))
        << first;
  }
}
TEST(AllOperands, Conversions) {
  conversions_of_all_operands<f16>();
  conversions_of_all_operands<bf16>();
}

// PTX ISA 9.0: ex2 errs by 2^-9.9 of the value in f16, 2^-7 in bf16; tanh by 2^-10.987 and 2^-8.
template <class T>
void approximations_of_all_operands(double of_ex2, double of_tanh) {
  for (const uint64_t seed : {0u, 5u}) {
    simt::block.approximation = seed;
    for (uint32_t first = 0; first < 0x10000; ++first) {
      const T a{static_cast<uint16_t>(first)};
      const double x = Table<T>::value_of(a.bits), ex2 = std::exp2(x), tanh = std::tanh(x);
      const double got = Table<T>::value_of(ex2_approx<T, 0>(a).bits),
                   tanh_got = Table<T>::value_of(tanh_approx<T, 0>(a).bits);
      if (x != x) {
        ASSERT_EQ((ex2_approx<T, 0>(a).bits), 0x7fff);
        continue;
      }
      const double largest = table<T>().all.back().value, least = std::is_same_v<T, f16> ? 0x1p-14 : 0x1p-126;
      if (ex2 > least && ex2 < largest) {
        ASSERT_LE(std::fabs(got / ex2 - 1), of_ex2) << x << ", seed " << seed;
      }
      ASSERT_LE(std::fabs(tanh_got - tanh), of_tanh) << x << ", seed " << seed;
    }
  }
  simt::block.approximation = 0;
}
TEST(AllOperands, Approximations) {
  approximations_of_all_operands<f16>(std::exp2(-9.9), std::exp2(-10.987));
  approximations_of_all_operands<bf16>(std::exp2(-7), std::exp2(-8));
}

// The value of a code by the manual's "FP8 data types"; 448 and 57344 are the largest.
template <class Format>
double fp8_value(uint8_t bits) {
  const bool four = std::is_same_v<Format, e4m3>;
  const int fraction_bits = four ? 3 : 2, bias = four ? 7 : 15;
  const int exponent = (bits & 0x7f) >> fraction_bits, fraction = bits & ((1 << fraction_bits) - 1);
  if (four ? (bits & 0x7f) == 0x7f : exponent == 31 && fraction != 0) return NAN;
  const double size = !four && exponent == 31 ? INFINITY
                      : exponent == 0         ? std::ldexp(fraction, 1 - bias - fraction_bits)
                                      : std::ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
  return (bits & 0x80) != 0 ? -size : size;
}

template <class Format>
uint8_t nearest_fp8(double x) {  // saturating
  if (x != x) return 0x7f;
  const uint8_t sign = std::signbit(x) ? 0x80 : 0;
  const double size = std::fabs(x);
  const uint8_t largest = std::is_same_v<Format, e4m3> ? 0x7e : 0x7b;
  if (size >= fp8_value<Format>(largest)) return sign | largest;
  uint8_t best = 0;
  for (uint8_t bits = 0; bits <= largest; ++bits) {
    const double value = fp8_value<Format>(bits);
    const double far = std::fabs(value - size), near = std::fabs(fp8_value<Format>(best) - size);
    if (far < near || (far == near && (bits & 1) == 0)) best = bits;
  }
  return sign | best;
}

template <class Format>
void fp8_of_all_operands() {
  for (uint32_t first = 0; first < 0x10000; ++first) {
    const f16 a{static_cast<uint16_t>(first)};
    const double x = Table<f16>::value_of(a.bits), y = Table<bf16>::value_of(static_cast<uint16_t>(first));
    const f16x2 pair{a, f16{0x3c00}};
    const uint8_t want = nearest_fp8<Format>(x), one = nearest_fp8<Format>(1);
    ASSERT_EQ((fp8_pair<Format, 0>(pair)), one << 8 | want) << first;
    ASSERT_EQ((fp8_pair<Format, kRelu>(pair)), one << 8 | (std::signbit(x) && x == x ? 0 : want)) << first;
    ASSERT_EQ((fp8_pair<Format, 0>(static_cast<float>(y), 1.0f)), nearest_fp8<Format>(y) << 8 | one) << first;
  }
  for (uint32_t bits = 0; bits < 0x100; ++bits) {
    const double x = fp8_value<Format>(static_cast<uint8_t>(bits));
    const f16x2 pair = pair_of_fp8<Format, 0>(static_cast<uint16_t>(bits << 8)),
                relu = pair_of_fp8<Format, kRelu>(static_cast<uint16_t>(bits));
    ASSERT_EQ(pair.low.bits, 0);
    ASSERT_EQ(pair.high.bits, table<f16>().nearest(x, bits == 0x80)) << bits;
    ASSERT_EQ(relu.low.bits, x == x && bits >= 0x80 ? 0 : pair.high.bits) << bits;
  }
}
TEST(AllOperands, Fp8) {
  fp8_of_all_operands<e4m3>();
  fp8_of_all_operands<e5m2>();
}

// A result is right if it lies on its side of the exact one, and the next number does not: __float128 holds sums of
// near exponents, products, and the squares and products that check roots and quotients, exactly.
template <uint32_t m>
void is_rounded(double got, auto side) {  // side(x): the sign of the exact result less x
  if ((m & kRz) != 0 && side(0.0) < 0) return is_rounded<kRp>(got, side);
  if constexpr ((m & kRp) != 0) {
    ASSERT_TRUE(side(got) <= 0 && side(std::nextafter(got, -INFINITY)) > 0) << got;
  } else {
    ASSERT_TRUE(side(got) >= 0 && side(std::nextafter(got, INFINITY)) < 0) << got;
  }
}
template <uint32_t m>
void doubles_in_direction() {
  Rng rng(m);
  const auto sign = [](Exact x) { return x < 0 ? -1 : x > 0 ? 1 : 0; };
  for (int i = 0; i < 50'000; ++i) {
    const auto any = [&] {
      return std::ldexp(static_cast<double>(static_cast<int64_t>(rng.next() | 1)),
                        static_cast<int>(rng.below(20)) - 70);
    };
    const double a = any(), b = any(), c = any(), size = std::fabs(a);
    is_rounded<m>(add<double, m>(a, b), [&](double x) { return sign(Exact{a} + b - x); });
    is_rounded<m>(sub<double, m>(a, b), [&](double x) { return sign(Exact{a} - b - x); });
    is_rounded<m>(mul<double, m>(a, b), [&](double x) { return sign(Exact{a} * b - x); });
    is_rounded<m>(div<double, m>(a, b), [&](double x) { return sign(Exact{a} - Exact{x} * b) * (b < 0 ? -1 : 1); });
    is_rounded<m>(rcp<double, m>(a), [&](double x) { return sign(Exact{1} - Exact{x} * a) * (a < 0 ? -1 : 1); });
    is_rounded<m>(sqrt<double, m>(size), [&](double x) { return x < 0 ? 1 : sign(Exact{size} - Exact{x} * x); });
    const double product = static_cast<double>(static_cast<float>(a)) * static_cast<float>(b);  // exact
    is_rounded<m>(fma<double, m>(static_cast<float>(a), static_cast<float>(b), c),
                  [&](double x) { return sign(Exact{product} + c - x); });
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_EQ((add<double, m>(INFINITY, -INFINITY) != add<double, m>(0, 0)), true);
}
TEST(AllOperands, DoublesRoundDown) { doubles_in_direction<kRm>(); }
TEST(AllOperands, DoublesRoundUp) { doubles_in_direction<kRp>(); }
TEST(AllOperands, DoublesRoundToZero) { doubles_in_direction<kRz>(); }

// Bit by bit, as the manual's pseudo-code.
TEST(AllOperands, FieldsAndDotProducts) {
  Rng rng(9);
  for (int i = 0; i < 50'000; ++i) {
    const auto a = static_cast<uint32_t>(rng.next()), b = static_cast<uint32_t>(rng.next()),
               c = static_cast<uint32_t>(rng.next());
    const auto begin = static_cast<uint32_t>(rng.below(40)), width = static_cast<uint32_t>(rng.below(40));
    const auto mask = [](uint32_t from, uint32_t count) {
      uint32_t bits = 0;
      for (uint32_t at = 0; at < 32; ++at) bits |= (at >= from && at < from + count ? 1u : 0u) << at;
      return bits;
    };
    ASSERT_EQ((bmsk<uint32_t, 0>(begin, width)), mask(begin, width)) << begin << " " << width;
    ASSERT_EQ((bmsk<uint32_t, kWrap>(begin, width)), mask(begin % 32, width % 32)) << begin << " " << width;
    const auto extended = [&](uint32_t bits, bool is_signed) {
      if (bits == 0) return 0u;
      const bool ones = is_signed && (a >> (std::min(bits, 32u) - 1) & 1) != 0;
      return (a & mask(0, bits)) | (ones ? ~mask(0, bits) : 0u);
    };
    ASSERT_EQ((szext<uint32_t, 0>(a, width)), extended(width, false)) << width;
    ASSERT_EQ((static_cast<uint32_t>(szext<int32_t, 0>(static_cast<int32_t>(a), width))), extended(width, true))
        << width;
    ASSERT_EQ((static_cast<uint32_t>(szext<int32_t, kWrap>(static_cast<int32_t>(a), width))),
              extended(width % 32, true))
        << width;
    const auto half = [&](int at) { return static_cast<int16_t>(a >> 16 * at); };
    const auto byte = [&](int at) { return static_cast<int8_t>(b >> 8 * at); };
    ASSERT_EQ((dp2a<int8_t, int8_t, true>(a, b, c)), c + static_cast<uint32_t>(half(0) * byte(2) + half(1) * byte(3)));
    ASSERT_EQ(
        (dp2a<int8_t, uint8_t, false>(a, b, c)),
        c + static_cast<uint32_t>(half(0) * static_cast<uint8_t>(byte(0)) + half(1) * static_cast<uint8_t>(byte(1))));
    ASSERT_EQ((dp2a<uint8_t, uint8_t, false>(a, b, c)), c + (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff));
  }
}

}  // namespace
}  // namespace assay::ptx
