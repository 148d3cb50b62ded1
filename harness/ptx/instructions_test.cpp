// Tests the results of instructions against independent statements of PTX ISA 9.0: tables of all 16-bit floats,
// wide integers, the host's rounding modes, and the manual's pseudo-code.
#include <gmock/gmock.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <vector>

#include "harness/base/rng.h"
#include "harness/ptx/test_small_float_table.h"
#include "harness/simt/include/ptx/convert.h"
#include "harness/simt/include/ptx/video.h"
#include "harness/simt/include/ptx/warp.h"

namespace assay::ptx {
namespace {

template <class T>
void small_arithmetic_is_rounded_once() {
  Rng rng(1);
  std::vector<uint16_t> others = edges<T>();
  for (int i = 0; i < 4; ++i) others.push_back(static_cast<uint16_t>(rng.next()));
  for (uint32_t first = 0; first < 0x10000; first += 11) {
    const T a{static_cast<uint16_t>(first)};
    const Exact x = table<T>().value_of(a.bits);
    for (const uint16_t second : others) {
      const T b{second}, c{static_cast<uint16_t>(rng.next())};
      const Exact y = table<T>().value_of(b.bits), z = table<T>().value_of(c.bits);
      const bool minus_a = (a.bits & 0x8000) != 0, minus_b = (b.bits & 0x8000) != 0;
      ASSERT_EQ((add<T, 0>(a, b).bits), table<T>().nearest(x + y, minus_a && minus_b)) << first << " + " << second;
      ASSERT_EQ((mul<T, 0>(a, b).bits), table<T>().nearest(x * y, minus_a != minus_b)) << first << " * " << second;
      const Exact product = x * y, sum = product + z;
      if (sum - product != z && sum - sum == 0) continue;  // not exact in 113 bits
      const bool minus_zero = minus_a != minus_b && (c.bits & 0x8000) != 0;
      ASSERT_EQ((fma<T, 0>(a, b, c).bits), table<T>().nearest(sum, minus_zero))
          << first << " " << second << " " << c.bits;
    }
  }
}
TEST(Instructions, F16IsRoundedOnce) { small_arithmetic_is_rounded_once<f16>(); }
TEST(Instructions, Bf16IsRoundedOnce) { small_arithmetic_is_rounded_once<bf16>(); }

TEST(Instructions, NanIsTheGpus) {
  EXPECT_EQ(as<uint32_t>(add<float, 0>(INFINITY, -INFINITY)), 0x7fffffffu);
  EXPECT_EQ(as<uint32_t>(fma<float, 0>(0, INFINITY, 1)), 0x7fffffffu);
  EXPECT_EQ(as<uint32_t>(sqrt<float, 0>(-1)), 0x7fffffffu);
  EXPECT_EQ(as<uint32_t>(min<float, 0>(NAN, as<float>(0x7f800001u))), 0x7fffffffu);
  EXPECT_EQ((mul<f16, 0>({0x7c00}, {0}).bits), 0x7fff);
  EXPECT_EQ((neg<bf16, 0>({0x7fc0}).bits), 0x7fff);
  EXPECT_EQ(as<uint32_t>(cvt<float, f16, 0>(f16{0x7c01})), 0x7fffffffu);
  EXPECT_EQ((cvt<bf16, float, 0>(NAN).bits), 0x7fff);
}

// The bits of a value as a load would bring them stay whatever they are.
TEST(Instructions, BitsMoveUnchanged) {
  const uint32_t signalling = 0x7f800001;
  float f = 0;
  set(f, signalling);
  EXPECT_EQ(as<uint32_t>(f), signalling);
  uint32_t r = 0;
  set(r, int16_t{-2});
  EXPECT_EQ(r, 0xfffffffeu);
  set(r, uint16_t{0xfffe});
  EXPECT_EQ(r, 0xfffeu);
}

// Assembly on x86-64 (straight.h).
TEST(Instructions, WhatHasNoBranchesGivesWhatBranchesWould) {
  for (const uint32_t nan : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xff800001u, 0x7fffffffu, 0xffffffffu})
    EXPECT_EQ(as<uint32_t>(canonical(as<float>(nan))), 0x7fffffffu) << std::hex << nan;
  for (const uint32_t bits : {0u, 0x80000000u, 1u, 0x3f800000u, 0x7f800000u, 0xff800000u, 0x7f7fffffu})
    EXPECT_EQ(as<uint32_t>(canonical(as<float>(bits))), bits) << std::hex << bits;
  for (const uint64_t nan : {0x7ff8000000000000u, 0xffffffffffffffffu, 0x7ff0000000000001u})
    EXPECT_EQ(as<uint64_t>(canonical(as<double>(nan))), 0xfff8000000000000u) << std::hex << nan;
  for (const uint64_t bits : {uint64_t{0}, uint64_t{1} << 63, uint64_t{0x7ff0000000000000}, uint64_t{1}})
    EXPECT_EQ(as<uint64_t>(canonical(as<double>(bits))), bits) << std::hex << bits;
  const std::vector<std::pair<float, float>> saturations = {{NAN, 0.0f},   {-0.0f, 0.0f},    {0.0f, 0.0f},
                                                            {-2.0f, 0.0f}, {0.25f, 0.25f},   {1.0f, 1.0f},
                                                            {2.0f, 1.0f},  {INFINITY, 1.0f}, {-INFINITY, 0.0f}};
  for (const auto& [x, want] : saturations) {
    EXPECT_EQ(as<uint32_t>(saturated(x)), as<uint32_t>(want)) << x;
    EXPECT_EQ(as<uint64_t>(saturated(double{x})), as<uint64_t>(double{want})) << x;
  }
  for (const bool p : {false, true}) {
    EXPECT_EQ(select_b32(p, 0x80000001u, 2), p ? 0x80000001u : 2u);
    EXPECT_EQ(select_b64(p, uint64_t{1} << 63 | 1, 2), p ? uint64_t{1} << 63 | 1 : 2u);
    EXPECT_EQ(as<uint32_t>(select_f32(p, as<float>(0x7fc12345u), -0.0f)), p ? 0x7fc12345u : 0x80000000u)
        << "the payload of a NaN stays";
  }
}

std::vector<float> draws(uint64_t seed, int count) {
  std::vector<float> all = {0.0f,     -0.0f,     1.0f, -1.0f, 0x1p-149f, -0x1p-126f, 0x1.fffffep127f,
                            INFINITY, -INFINITY, 0.5f, 3.0f};
  Rng rng(seed);
  for (int i = 0; i < count; ++i) {
    const float any = as<float>(static_cast<uint32_t>(rng.next()));
    all.push_back(any == any ? any : 1.5f);
    all.push_back(static_cast<float>(rng.between(-1'000'000, 1'000'000)) / 1024);
  }
  return all;
}

// The same arithmetic under the host's rounding mode; volatile keeps the compiler from moving it.
template <class Op>
float under(int mode, Op op) {
  std::fesetround(mode);
  const volatile float result = op();
  std::fesetround(FE_TONEAREST);
  return result;
}

template <uint32_t m>
void directed(int mode) {
  const std::vector<float> values = draws(m, 8'000);
  for (size_t i = 2; i < values.size(); ++i) {
    const volatile float a = values[i], b = values[i - 1], c = values[i - 2];
    const auto same = [&](float got, float want, const char* what) {
      if (want != want) want = as<float>(kNanBits);
      ASSERT_EQ(as<uint32_t>(got), as<uint32_t>(want)) << what << " " << a << " " << b << " " << c;
    };
    same(add<float, m>(a, b), under(mode, [&] { return a + b; }), "add");
    same(mul<float, m>(a, b), under(mode, [&] { return a * b; }), "mul");
    same(div<float, m>(a, b), under(mode, [&] { return a / b; }), "div");
    same(sqrt<float, m>(std::fabs(a)), under(mode, [&] { return std::sqrt(std::fabs(a)); }), "sqrt");
    same(fma<float, m>(a, b, c), under(mode, [&] { return std::fma(a, b, c); }), "fma");
    same(cvt<float, double, m>(double{a} * b),
         under(mode,
               [&] {
                 const volatile double wide = double{a} * b;
                 return static_cast<float>(wide);
               }),
         "cvt");
  }
}
TEST(Instructions, RoundingDown) { directed<kRm>(FE_DOWNWARD); }
TEST(Instructions, RoundingUp) { directed<kRp>(FE_UPWARD); }
TEST(Instructions, RoundingToZero) { directed<kRz>(FE_TOWARDZERO); }

TEST(Instructions, FtzAndSat) {
  const float tiny = 0x1p-127f;
  EXPECT_EQ((add<float, kFtz>(tiny, tiny)), 0.0f) << "each operand is flushed first";
  EXPECT_EQ((add<float, 0>(tiny, tiny)), 0x1p-126f);
  EXPECT_EQ((mul<float, kFtz>(0x1p-100f, 0x1p-30f)), 0.0f);
  EXPECT_TRUE(std::signbit(mul<float, kFtz>(-0x1p-100f, 0x1p-30f)));
  EXPECT_EQ((fma<float, kSat>(2, 2, 0)), 1.0f);
  EXPECT_EQ((add<float, kSat>(NAN, 1)), 0.0f);
  EXPECT_EQ((add<float, kSat>(-1, 0)), 0.0f);
  EXPECT_EQ((fma<f16, kRelu>({0xbc00}, {0x3c00}, {0}).bits), 0);
  EXPECT_EQ((cvt<f16, float, kRelu>(-3.0f).bits), 0);
}

TEST(Instructions, MinAndMax) {
  EXPECT_EQ((min<float, 0>(NAN, 2)), 2.0f);
  EXPECT_TRUE(std::isnan(min<float, kNan>(NAN, 2)));
  EXPECT_TRUE(std::signbit(min<float, 0>(0.0f, -0.0f)));
  EXPECT_FALSE(std::signbit(max<float, 0>(-0.0f, 0.0f)));
  for (const uint16_t a : edges<f16>())
    for (uint32_t b = 0; b < 0x10000; ++b) {
      const double x = Table<f16>::value_of(a), y = Table<f16>::value_of(static_cast<uint16_t>(b));
      const double want = std::isnan(x) ? y : std::isnan(y) ? x : x > y ? x : y;
      const f16 got = max<f16, 0>(f16{a}, f16{static_cast<uint16_t>(b)});
      if (std::isnan(want))
        ASSERT_EQ(got.bits, 0x7fff);
      else
        ASSERT_EQ(Table<f16>::value_of(got.bits), want) << a << " " << b;
    }
}

TEST(Instructions, F16ToIntegersInAllDirections) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const f16 a{static_cast<uint16_t>(bits)};
    const double x = Table<f16>::value_of(a.bits);
    const auto want = [&](double whole, double least, double most) {
      return std::isnan(x) ? 0.0 : std::min(std::max(whole, least), most);
    };
    ASSERT_EQ((cvt<int32_t, f16, kRni>(a)), want(std::nearbyint(x), -0x1p31, 0x1p31 - 1)) << bits;
    ASSERT_EQ((cvt<int32_t, f16, kRzi>(a)), want(std::trunc(x), -0x1p31, 0x1p31 - 1)) << bits;
    ASSERT_EQ((cvt<int16_t, f16, kRmi>(a)), want(std::floor(x), -32768, 32767)) << bits;
    ASSERT_EQ((cvt<uint16_t, f16, kRpi>(a)), want(std::ceil(x), 0, 65535)) << bits;
    ASSERT_EQ((cvt<uint8_t, f16, kRzi>(a)), want(std::trunc(x), 0, 255)) << bits;
    ASSERT_EQ((cvt<f16, int16_t, 0>(static_cast<int16_t>(bits)).bits),
              (table<f16>().nearest(static_cast<int16_t>(bits), false)))
        << bits;
    ASSERT_EQ((cvt<f16, uint16_t, 0>(static_cast<uint16_t>(bits)).bits), (table<f16>().nearest(bits, false))) << bits;
  }
}

TEST(Instructions, NanAndRangeOfConversionsToIntegers) {
  EXPECT_EQ((cvt<int32_t, float, kRzi>(NAN)), 0);
  EXPECT_EQ((cvt<int32_t, double, kRzi>(NAN)), INT32_MIN) << "from f64 it is the highest bit";
  EXPECT_EQ((cvt<uint64_t, float, kRzi>(NAN)), uint64_t{1} << 63);
  EXPECT_EQ((cvt<int64_t, float, kRzi>(1e30f)), INT64_MAX);
  EXPECT_EQ((cvt<uint32_t, float, kRzi>(-1.0f)), 0u);
  EXPECT_EQ((cvt<uint8_t, int32_t, kSat>(-5)), 0);
  EXPECT_EQ((cvt<int8_t, int32_t, kSat>(300)), 127);
  EXPECT_EQ((cvt<int8_t, int32_t, 0>(300)), 44);
  EXPECT_EQ((cvt<float, uint64_t, kRz>(~uint64_t{0})), 0x1.fffffep63f);
}

TEST(Instructions, F32ToSmallFloats) {
  for (const float x : draws(5, 30'000)) {
    ASSERT_EQ((cvt<f16, float, 0>(x).bits), table<f16>().nearest(x, std::signbit(x))) << x;
    ASSERT_EQ((cvt<bf16, float, 0>(x).bits), table<bf16>().nearest(x, std::signbit(x))) << x;
    const float down = widened(cvt<f16, float, kRm>(x)), up = widened(cvt<f16, float, kRp>(x));
    ASSERT_LE(down, x);
    ASSERT_GE(up, x);
    ASSERT_EQ(widened(cvt<f16, float, kRz>(x)), x > 0 ? down : up) << x;
    const float nearest = widened(cvt<f16, float, 0>(x));
    ASSERT_TRUE(nearest == down || nearest == up) << x;
  }
  const f16x2 pair = cvt_pair<f16x2, 0>(1.0f, 2.0f);
  EXPECT_EQ(pair.high.bits, 0x3c00) << "the first operand is the upper half";
}

// Ten bits of fraction are kept: the two neighbours are the bits cut off, and one more place.
TEST(Instructions, Tf32IsRoundedAsAsked) {
  for (const float x : draws(6, 20'000)) {
    const uint32_t bits = as<uint32_t>(x), down = bits & ~0x1fffu, rest = bits & 0x1fffu, up = down + 0x2000;
    if (x - x != 0) continue;
    ASSERT_EQ(cvt_tf32<kRz>(x), down) << x;
    ASSERT_EQ(cvt_tf32<kRna>(x), rest >= 0x1000 ? up : down) << x;
    ASSERT_EQ(cvt_tf32<0>(x), rest > 0x1000 || (rest == 0x1000 && (down & 0x2000) != 0) ? up : down) << x;
    const float tie = as<float>(down | 0x1000u);
    ASSERT_EQ(cvt_tf32<kRna>(tie), up) << tie;
    ASSERT_EQ(cvt_tf32<0>(tie), (down & 0x2000) != 0 ? up : down) << tie;
  }
  EXPECT_EQ(cvt_tf32<0>(NAN), kNanBits);
  EXPECT_EQ(cvt_tf32<kRna>(-INFINITY), 0xff800000u);
}

TEST(Instructions, Comparisons) {
  const float values[] = {1, 2, NAN, INFINITY, -0.0f, 0.0f};
  for (const float a : values)
    for (const float b : values) {
      const bool nan = std::isnan(a) || std::isnan(b);
      EXPECT_EQ((compare<Comparison::ne, float, 0>(a, b)), !nan && a != b);
      EXPECT_EQ((compare<Comparison::neu, float, 0>(a, b)), nan || a != b);
      EXPECT_EQ((compare<Comparison::lt, float, 0>(a, b)), !nan && a < b);
      EXPECT_EQ((compare<Comparison::ltu, float, 0>(a, b)), nan || a < b);
      EXPECT_EQ((compare<Comparison::geu, float, 0>(a, b)), nan || a >= b);
      EXPECT_EQ((compare<Comparison::num, float, 0>(a, b)), !nan);
    }
  EXPECT_TRUE((compare<Comparison::eq, float, kFtz>(0x1p-140f, 0.0f)));
}

// The manual's pseudo-code of bfe.
uint64_t bfe_by_bits(uint64_t a, uint32_t begin, uint32_t length, uint32_t msb, bool is_signed) {
  const uint32_t pos = begin & 0xff, len = length & 0xff;
  const uint64_t sign = !is_signed || len == 0 ? 0 : a >> std::min(pos + len - 1, msb) & 1;
  uint64_t d = 0;
  for (uint32_t i = 0; i <= msb; ++i) d |= (i < len && pos + i <= msb ? a >> (pos + i) & 1 : sign) << i;
  return d;
}

TEST(Instructions, BitFields) {
  Rng rng(2);
  for (int i = 0; i < 50'000; ++i) {
    const uint64_t a = rng.next(), b = rng.next();
    const auto begin = static_cast<uint32_t>(rng.below(i % 4 == 0 ? 300 : 70)),
               length = static_cast<uint32_t>(rng.below(i % 4 == 1 ? 300 : 70));
    const auto low = static_cast<uint32_t>(a);
    ASSERT_EQ((bfe<uint32_t, 0>(low, begin, length)), bfe_by_bits(low, begin, length, 31, false))
        << begin << " " << length;
    ASSERT_EQ((static_cast<uint32_t>(bfe<int32_t, 0>(static_cast<int32_t>(low), begin, length))),
              bfe_by_bits(low, begin, length, 31, true))
        << begin << " " << length;
    ASSERT_EQ((bfe<uint64_t, 0>(a, begin, length)), bfe_by_bits(a, begin, length, 63, false));
    ASSERT_EQ((static_cast<uint64_t>(bfe<int64_t, 0>(static_cast<int64_t>(a), begin, length))),
              bfe_by_bits(a, begin, length, 63, true));
    uint32_t inserted = static_cast<uint32_t>(b);  // the pseudo-code of bfi
    for (uint32_t k = 0; k < (length & 0xff) && (begin & 0xff) + k <= 31; ++k) {
      const uint32_t at = (begin & 0xff) + k;
      inserted = (inserted & ~(1u << at)) | (k < 32 ? low >> k & 1u : 0u) << at;
    }
    ASSERT_EQ((bfi<uint32_t, 0>(low, static_cast<uint32_t>(b), begin, length)), inserted) << begin << " " << length;
  }
}

TEST(Instructions, Integers) {
  Rng rng(3);
  for (int i = 0; i < 50'000; ++i) {
    const uint64_t a = rng.next(), b = rng.next() >> rng.below(64);
    const auto x = static_cast<uint32_t>(a), y = static_cast<uint32_t>(b);
    const auto sx = static_cast<int32_t>(x), sy = static_cast<int32_t>(y);
    ASSERT_EQ((mul<int32_t, kHi>(sx, sy)), static_cast<int32_t>(int64_t{sx} * sy >> 32));
    ASSERT_EQ((mul<uint64_t, kHi>(a, b)), static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64));
    ASSERT_EQ((mad_wide<int32_t, 0>(sx, sy, 5)), int64_t{sx} * sy + 5);
    bool carry = false;
    const uint32_t low = add_cc<uint32_t, 0>(x, y, carry), high = addc<uint32_t, 0>(7, 9, carry);
    ASSERT_EQ((uint64_t{high} << 32 | low), (uint64_t{7 + 9} << 32) + x + y);
    bool borrow = false;
    const uint32_t rest = sub_cc<uint32_t, 0>(x, y, borrow), upper = subc<uint32_t, 0>(9, 7, borrow);
    ASSERT_EQ((uint64_t{upper} << 32 | rest), (uint64_t{2} << 32) + x - y);
    ASSERT_EQ((add<int32_t, kSat>(sx, sy)), std::clamp<int64_t>(int64_t{sx} + sy, INT32_MIN, INT32_MAX));
    const uint32_t by = static_cast<uint32_t>(rng.below(70));
    ASSERT_EQ((shl<uint32_t, 0>(x, by)), by > 31 ? 0 : x << by);
    ASSERT_EQ((shr<int32_t, 0>(sx, by)), sx >> std::min(by, 31u));
    ASSERT_EQ((shr<uint64_t, 0>(a, by)), by > 63 ? 0 : a >> by);
    ASSERT_EQ((lop3<uint32_t, 0>(x, y, sx * 3u, (0xf0 & 0xcc) | 0xaa)), (x & y) | sx * 3u);
    ASSERT_EQ((popc<uint64_t, 0>(a)), static_cast<uint32_t>(__builtin_popcountll(a)));
  }
  EXPECT_EQ((clz<uint32_t, 0>(0)), 32u);
  EXPECT_EQ((clz<uint64_t, 0>(1)), 63u);
  EXPECT_EQ((bfind<int32_t, 0>(-1)), ~0u);
  EXPECT_EQ((bfind<uint32_t, kShiftamt>(1)), 31u);
  EXPECT_EQ((brev<uint64_t, 0>(1)), uint64_t{1} << 63);
  EXPECT_EQ((div<int32_t, 0>(INT32_MIN, -1)), INT32_MIN);
  EXPECT_EQ((div<uint32_t, 0>(7, 0)), ~0u);
  EXPECT_EQ((mul24<int32_t, 0>(0x01ffffff, 2)), -2) << "24 bits of each factor, with their sign";
}

// The manual's table for shuffles in terms of CUDA's functions: c is (32 - width) << 8, with 31 for all except up.
TEST(Instructions, DistancesOfBytesAreSummedOrKeptApart) {
  EXPECT_EQ((vabsdiff4<uint8_t, uint8_t, true>(0x00ff10a0, 0xff0020a1, 5)), 255u + 255 + 16 + 1 + 5);
  EXPECT_EQ((vabsdiff4<uint8_t, uint8_t, false>(0x00ff10a0, 0xff0020a1, 5)), 0xffff1001);
  EXPECT_EQ((vabsdiff4<int8_t, int8_t, true>(0x0080ff01, 0x007f01ff, 0)), 255u + 2 + 2);
  EXPECT_EQ((vabsdiff4<int8_t, uint8_t, true>(0xff, 0xff, 0)), 256u);
}

TEST(Instructions, ShufflesReadTheLaneOfTheirSegment) {
  for (uint32_t width : {32u, 16u, 8u, 4u, 2u})
    for (uint32_t lane = 0; lane < 32; ++lane)
      for (uint32_t b = 0; b < 32; ++b) {
        const uint32_t segment = (32 - width) << 8, first = lane / width * width;
        bool inside = false;
        EXPECT_EQ(shuffle_source(Shuffle::up, lane, b, segment, inside), lane >= first + b ? lane - b : lane);
        EXPECT_EQ(inside, lane >= first + b);
        EXPECT_EQ(shuffle_source(Shuffle::down, lane, b, segment | 31, inside),
                  lane + b < first + width ? lane + b : lane);
        EXPECT_EQ(inside, lane + b < first + width);
        EXPECT_EQ(shuffle_source(Shuffle::idx, lane, b, segment | 31, inside), first + b % width);
        EXPECT_TRUE(inside);
        const uint32_t other = lane ^ b;
        EXPECT_EQ(shuffle_source(Shuffle::bfly, lane, b, segment | 31, inside), other < first + width ? other : lane);
      }
}

// With a seed an approximate function errs, inside its bound; without one it is right.
TEST(Instructions, ApproximationsErrInsideTheirBounds) {
  int moved = 0;
  for (const uint64_t seed : {0u, 1u, 2u}) {
    simt::block.approximation = seed;
    Rng rng(4);
    for (int i = 0; i < 20'000; ++i) {
      const float x = static_cast<float>(rng.between(1, 1'000'000)) / 65536;
      const double ex2 = std::exp2(double{x}), rcp = 1 / double{x}, rsqrt = 1 / std::sqrt(double{x});
      ASSERT_LE(std::fabs(ex2_approx<float, 0>(x) / ex2 - 1), seed == 0 ? 0x1p-24 : 0x1p-22) << x;
      ASSERT_LE(std::fabs(rcp_approx<float, 0>(x) / rcp - 1), seed == 0 ? 0x1p-24 : 0x1p-23) << x;
      ASSERT_LE(std::fabs(rsqrt_approx<float, 0>(x) / rsqrt - 1), seed == 0 ? 0x1p-24 : 0x1.13p-23) << x;
      ASSERT_LE(std::fabs(sin_approx<float, 0>(x / 8) - std::sin(double{x / 8})), 0x1p-20) << x;
      moved += ex2_approx<float, 0>(x) != static_cast<float>(ex2) ? 1 : 0;
    }
  }
  simt::block.approximation = 0;
  EXPECT_GT(moved, 20'000);
}

// The manual's tables give these values instead of a bound, and expm1f rests on them.
TEST(Instructions, PowersOfTwoAndCosinesOfNothingAreExact) {
  for (const uint64_t seed : {0u, 1u, 2u, 3u}) {
    simt::block.approximation = seed;
    for (int j = -126; j <= 127; ++j)
      ASSERT_EQ((ex2_approx<float, 0>(static_cast<float>(j))), std::ldexp(1.0f, j)) << seed;
    for (const float nothing : {0.0f, -0.0f, 0x1p-149f, -0x1p-127f}) {
      EXPECT_EQ((ex2_approx<float, 0>(nothing)), 1.0f) << nothing << ", seed " << seed;
      EXPECT_EQ((cos_approx<float, 0>(nothing)), 1.0f) << nothing << ", seed " << seed;
      EXPECT_EQ((sin_approx<float, kFtz>(nothing)), 0.0f) << nothing << ", seed " << seed;
      EXPECT_EQ((sin_approx<float, 0>(nothing)), nothing) << "seed " << seed;
    }
    EXPECT_EQ((ex2_approx<f16, 0>(f16{0xc200})).bits, 0x3000) << "2^-3";
  }
  simt::block.approximation = 0;
}

}  // namespace
}  // namespace assay::ptx
