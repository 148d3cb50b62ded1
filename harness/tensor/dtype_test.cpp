// The conversions against every 16-bit pattern, the processor's own conversions, and rounding by hand.
#include "harness/tensor/dtype.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "harness/base/rng.h"

namespace assay {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr DType kFloats[] = {DType::f32, DType::bf16, DType::f16};

uint32_t float_bits(float value) { return std::bit_cast<uint32_t>(value); }
double half_value(uint32_t bits) { return static_cast<double>(std::bit_cast<_Float16>(static_cast<uint16_t>(bits))); }

// A double with random bits, whose exponent is near those of the small types more often than not.
double any_double(Rng& rng) {
  const double bits = std::bit_cast<double>(rng.next());
  if (rng.below(4) == 0) return bits;
  return std::ldexp(static_cast<double>(rng.between(-(int64_t{1} << 53), int64_t{1} << 53)),
                    static_cast<int>(rng.between(-210, 80)));
}

TEST(DType, NamesParseBack) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16, DType::u32, DType::u8})
    EXPECT_EQ(dtype_from(name(dtype)), dtype);
  EXPECT_EQ(dtype_from("fp32"), std::nullopt);
  EXPECT_EQ(dtype_from(""), std::nullopt);
}

TEST(DType, KnowsItsFormats) {
  EXPECT_EQ(max_finite(DType::f32), static_cast<double>(std::numeric_limits<float>::max()));
  EXPECT_EQ(max_finite(DType::bf16), to_double(DType::bf16, 0x7F7F));
  EXPECT_EQ(max_finite(DType::f16), 65504);
  EXPECT_EQ(max_finite(DType::u32), 4294967295.0);
  EXPECT_EQ(max_finite(DType::u8), 255);
  EXPECT_EQ(size_of(DType::f32) + size_of(DType::u32), 8u);
  EXPECT_EQ(size_of(DType::u8), 1u);
  EXPECT_EQ(size_of(DType::bf16) + size_of(DType::f16), 4u);
}

TEST(DType, Every16BitPatternComesBack) {
  for (const DType dtype : {DType::bf16, DType::f16})
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      const double value = to_double(dtype, bits);
      const uint64_t back = from_double(dtype, value);
      if (std::isnan(value))
        ASSERT_TRUE(std::isnan(to_double(dtype, back))) << std::hex << bits;
      else
        ASSERT_EQ(back, bits) << name(dtype) << " " << value;
    }
}

// The same number with the same sign, or two NaN.
bool same(double a, double b) { return a == b ? std::signbit(a) == std::signbit(b) : std::isnan(a) && std::isnan(b); }

TEST(DType, ValuesOfAllPatternsAreTheHardwares) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    ASSERT_TRUE(same(to_double(DType::f16, bits), half_value(bits))) << std::hex << bits;
    ASSERT_TRUE(same(to_double(DType::bf16, bits), std::bit_cast<float>(bits << 16))) << std::hex << bits;
  }
}

TEST(DType, RoundsToF32AndF16AsTheHardware) {
  Rng rng(1);
  for (int i = 0; i < 500'000; ++i) {
    const double value = any_double(rng);
    if (std::isnan(value)) continue;
    ASSERT_EQ(from_double(DType::f32, value), float_bits(static_cast<float>(value))) << value;
    ASSERT_EQ(from_double(DType::f16, value), std::bit_cast<uint16_t>(static_cast<_Float16>(value))) << value;
  }
}

// Between two neighbours the midpoint goes to the even one, anything else to the nearer one. The last neighbour of the
// largest finite number is the power of two above it, which stands for infinity.
TEST(DType, MidpointsOfAll16BitNeighboursGoToEven) {
  for (const DType dtype : {DType::bf16, DType::f16}) {
    const uint64_t infinity = from_double(dtype, kInfinity);
    for (uint32_t bits = 0; bits < infinity; ++bits) {
      const double low = to_double(dtype, bits);
      const double high = bits + 1 == infinity ? 2 * to_double(dtype, bits + 1 - (1u << (significand_bits(dtype) - 1)))
                                               : to_double(dtype, bits + 1);
      const double middle = low + (high - low) / 2;
      ASSERT_EQ(from_double(dtype, middle), bits % 2 ? bits + 1 : bits) << name(dtype) << " " << low;
      ASSERT_EQ(from_double(dtype, std::nextafter(middle, 0)), bits) << name(dtype) << " " << low;
      ASSERT_EQ(from_double(dtype, std::nextafter(middle, kInfinity)), bits + 1) << name(dtype) << " " << low;
      const uint32_t sign = dtype == DType::f32 ? 0x80000000u : 0x8000u;
      ASSERT_EQ(from_double(dtype, -middle), sign | (bits % 2 ? bits + 1 : bits)) << name(dtype) << " " << low;
    }
  }
}

TEST(DType, OverflowIsInfinityAndUnderflowKeepsItsSign) {
  for (const DType dtype : kFloats) {
    const double half_ulp = ulp(dtype, max_finite(dtype)) / 2;
    EXPECT_EQ(to_double(dtype, from_double(dtype, max_finite(dtype) + half_ulp)), kInfinity) << name(dtype);
    EXPECT_EQ(to_double(dtype, from_double(dtype, std::nextafter(max_finite(dtype) + half_ulp, 0))), max_finite(dtype));
    EXPECT_EQ(to_double(dtype, from_double(dtype, -1e300)), -kInfinity) << name(dtype);
    EXPECT_EQ(to_double(dtype, from_double(dtype, -kInfinity)), -kInfinity) << name(dtype);
    EXPECT_TRUE(std::signbit(to_double(dtype, from_double(dtype, -1e-300)))) << name(dtype);
    EXPECT_EQ(to_double(dtype, from_double(dtype, -1e-300)), 0) << name(dtype);
  }
}

TEST(DType, NanStaysNanAndTheGpusPayloadIsKept) {
  const double gpu_nan = std::bit_cast<double>(uint64_t{0x7FFFFFFFFFFFFFFF});
  EXPECT_EQ(from_double(DType::f32, gpu_nan), 0x7FFFFFFFu);
  EXPECT_EQ(from_double(DType::bf16, gpu_nan), 0x7FFFu);
  EXPECT_EQ(from_double(DType::f16, gpu_nan), 0x7FFFu);
  EXPECT_EQ(from_double(DType::f32, std::numeric_limits<double>::quiet_NaN()), 0x7FC00000u);
  EXPECT_EQ(from_double(DType::f32, -gpu_nan), 0xFFFFFFFFu);
  // A payload whose leading bits are zero must not become an infinity.
  EXPECT_TRUE(
      std::isnan(to_double(DType::f16, from_double(DType::f16, std::bit_cast<double>(uint64_t{0x7FF0000000000001})))));
}

TEST(DType, UnsignedRoundsAndSaturates) {
  EXPECT_EQ(from_double(DType::u32, -1), 0u);
  EXPECT_EQ(from_double(DType::u32, 2.5), 2u);
  EXPECT_EQ(from_double(DType::u32, 3.5), 4u);
  EXPECT_EQ(from_double(DType::u32, 1e20), 0xFFFFFFFFu);
  EXPECT_EQ(from_double(DType::u32, 4294967294.0), 0xFFFFFFFEu);
  EXPECT_EQ(from_double(DType::u32, std::numeric_limits<double>::quiet_NaN()), 0u);
  EXPECT_EQ(to_double(DType::u32, 0xFFFFFFFFu), 4294967295.0);
  EXPECT_EQ(from_double(DType::u8, 254.4), 254u);
  EXPECT_EQ(from_double(DType::u8, 300), 255u);
}

TEST(DType, CountsOf64BitsAreExactUpTo2To53AndSaturate) {
  for (const uint64_t count : {uint64_t{0}, uint64_t{1}, uint64_t{0xFFFFFFFF}, uint64_t{1} << 32, uint64_t{1} << 53}) {
    EXPECT_EQ(to_double(DType::u64, count), static_cast<double>(count));
    EXPECT_EQ(from_double(DType::u64, static_cast<double>(count)), count);
  }
  EXPECT_EQ(from_double(DType::u64, 0x1p64), ~uint64_t{0});
  EXPECT_EQ(from_double(DType::u64, kInfinity), ~uint64_t{0});
  EXPECT_EQ(from_double(DType::u64, max_finite(DType::u64)), ~uint64_t{0} << 11) << "the largest double below 2^64";
  EXPECT_EQ(from_double(DType::u64, -1), 0u);
  EXPECT_EQ(from_double(DType::u64, std::numeric_limits<double>::quiet_NaN()), 0u);
  EXPECT_EQ(dtype_from("u64"), DType::u64);
  EXPECT_EQ(size_of(DType::u64), 8u);
}

TEST(DType, UlpIsTheDistanceToTheNextElement) {
  Rng rng(2);
  for (int i = 0; i < 100'000; ++i) {
    const auto bits = static_cast<uint32_t>(rng.below(0x7F7FFFFF));  // non-negative, below the largest finite one
    const float value = std::bit_cast<float>(bits);
    ASSERT_EQ(ulp(DType::f32, value), static_cast<double>(std::bit_cast<float>(bits + 1)) - value) << value;
  }
  for (const DType dtype : {DType::bf16, DType::f16})
    for (uint32_t bits = 0; to_double(dtype, bits) < max_finite(dtype); ++bits) {
      const double value = to_double(dtype, bits);
      ASSERT_EQ(ulp(dtype, value), to_double(dtype, bits + 1) - value) << name(dtype) << " " << value;
      ASSERT_EQ(ulp(dtype, -value), ulp(dtype, value));
    }
}

}  // namespace
}  // namespace assay
