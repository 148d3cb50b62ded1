// compare() as a table: every class of value against every other, at the edges of every float dtype.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <ostream>

#include "harness/judge/expected.h"

namespace assay {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr DType kFloats[] = {DType::f32, DType::bf16, DType::f16};

enum class Answer : uint8_t { right, mismatch, nonfinite };

std::ostream& operator<<(std::ostream& out, Answer answer) {
  return out << (answer == Answer::right ? "right" : answer == Answer::mismatch ? "mismatch" : "nonfinite");
}

ExpectedTensor element(DType dtype, double value, double budget) {
  return {.name = "y", .dtype = dtype, .shape = {1}, .value = {value}, .budget = {budget}};
}

Answer answer(const ExpectedTensor& want, uint64_t got_bits) {
  const Comparison comparison = want.compare(0, got_bits);
  if (comparison.wrong_class) {
    EXPECT_EQ(comparison.error_over_budget, kInfinity) << "a wrong class is never within a budget";
    return Answer::nonfinite;
  }
  return comparison.error_over_budget <= 1 ? Answer::right : Answer::mismatch;
}

Answer answer(DType dtype, double value, double budget, double got) {
  return answer(element(dtype, value, budget), from_double(dtype, got));
}

// The values for which every dtype has its own bits.
struct Edges {
  explicit Edges(DType dtype)
      : largest(max_finite(dtype)),
        last_ulp(ulp(dtype, largest)),
        overflow(largest + last_ulp / 2),
        smallest_normal(std::ldexp(1.0, min_exponent(dtype))),
        subnormal(ulp(dtype, 0)),
        above_one(1 + ulp(dtype, 1)) {}
  double largest, last_ulp;
  double overflow;  // from here on a value rounds to infinity
  double smallest_normal, subnormal, above_one;
};

struct Row {
  const char* name;
  double value, budget, got;
  Answer answer;
};

void expect_rows(DType dtype, std::initializer_list<Row> rows) {
  for (const Row& row : rows)
    EXPECT_EQ(answer(dtype, row.value, row.budget, row.got), row.answer)
        << name(dtype) << ": " << row.name << fmt::format(" (want {} ± {}, got {})", row.value, row.budget, row.got);
}

class Compare : public testing::TestWithParam<DType> {};

std::string dtype_name(const testing::TestParamInfo<DType>& tested) { return std::string(name(tested.param)); }
INSTANTIATE_TEST_SUITE_P(Dtypes, Compare, testing::ValuesIn(kFloats), dtype_name);

TEST_P(Compare, NaN) {
  const Edges at(GetParam());
  expect_rows(GetParam(), {
                              {"both", kNan, 0, kNan, Answer::right},
                              {"only wanted, finite got", kNan, 1, 0, Answer::nonfinite},
                              {"only wanted, infinity got", kNan, 1, kInfinity, Answer::nonfinite},
                              {"only got", 1, 0.5, kNan, Answer::nonfinite},
                              {"only got, no budget", 0, 0, kNan, Answer::nonfinite},
                              {"only got, the widest budget", 1, at.largest, kNan, Answer::nonfinite},
                              {"infinity wanted", kInfinity, 1, kNan, Answer::nonfinite},
                              {"overflow admitted", at.largest, at.last_ulp, kNan, Answer::nonfinite},
                          });
}

// Any NaN is as good as another, and none is as good as a number: quiet, signalling, negative, all bits set.
TEST_P(Compare, NaNPayloads) {
  const DType dtype = GetParam();
  const uint64_t infinity = from_double(dtype, kInfinity);
  const uint64_t sign = from_double(dtype, -0.0);
  const uint32_t fraction = (uint32_t{1} << (significand_bits(dtype) - 1)) - 1;
  for (const uint32_t payload : {uint32_t{1}, fraction / 2 + 1, fraction / 2 + 2, fraction})
    for (const uint64_t bits : {infinity | payload, sign | infinity | payload}) {
      EXPECT_EQ(answer(element(dtype, kNan, 0), bits), Answer::right) << name(dtype) << std::hex << " " << bits;
      EXPECT_EQ(answer(element(dtype, 1, 1e30), bits), Answer::nonfinite) << name(dtype) << std::hex << " " << bits;
      EXPECT_EQ(answer(element(dtype, kInfinity, 0), bits), Answer::nonfinite) << name(dtype) << std::hex << bits;
    }
}

TEST_P(Compare, Infinity) {
  const Edges at(GetParam());
  expect_rows(GetParam(), {
                              {"equal", kInfinity, 0, kInfinity, Answer::right},
                              {"equal, negative", -kInfinity, 0, -kInfinity, Answer::right},
                              {"opposite", kInfinity, 0, -kInfinity, Answer::nonfinite},
                              {"opposite, negative", -kInfinity, 0, kInfinity, Answer::nonfinite},
                              {"only wanted, the largest got", kInfinity, 0, at.largest, Answer::nonfinite},
                              {"only wanted, with a budget", kInfinity, at.largest, at.largest, Answer::nonfinite},
                              {"only got", 1, 0.5, kInfinity, Answer::nonfinite},
                              {"only got, negative", 1, 0.5, -kInfinity, Answer::nonfinite},
                          });
}

// Infinity is right where what an honest kernel computes rounds to it: of the value's sign, but where the budget
// reaches beyond the range on both sides. Half a unit of the budget is the rounding's own: the largest number stays
// itself.
TEST_P(Compare, Overflow) {
  const Edges at(GetParam());
  const double below = std::nextafter(at.overflow, 0);
  expect_rows(GetParam(), {
                              {"value at the threshold", at.overflow, 0, kInfinity, Answer::right},
                              {"value just below", below, 0, kInfinity, Answer::nonfinite},
                              {"error reaches it", at.largest, at.last_ulp, kInfinity, Answer::right},
                              {"error just below", at.largest, at.last_ulp * 0.75, kInfinity, Answer::nonfinite},
                              {"its rounding alone", at.largest, at.last_ulp / 2, kInfinity, Answer::nonfinite},
                              {"rounding alone, negative", -at.largest, at.last_ulp / 2, -kInfinity, Answer::nonfinite},
                              {"beyond the largest", below, at.last_ulp / 2, kInfinity, Answer::nonfinite},
                              {"and an error", below, at.last_ulp * 0.75, kInfinity, Answer::right},
                              {"the largest itself", at.largest, at.last_ulp / 2, at.largest, Answer::right},
                              {"negative", -at.largest, at.last_ulp, -kInfinity, Answer::right},
                              {"other sign", at.largest, at.last_ulp / 2, -kInfinity, Answer::nonfinite},
                              {"other sign, negative", -at.overflow, 0, kInfinity, Answer::nonfinite},
                              {"budget beyond both ends", 1, 2 * at.overflow, -kInfinity, Answer::right},
                              {"budget short of the other end", at.largest, at.overflow, -kInfinity, Answer::nonfinite},
                              {"far beyond the range", 16 * at.largest, at.last_ulp, kInfinity, Answer::right},
                              {"far beyond, saturated", 16 * at.largest, at.last_ulp, at.largest, Answer::mismatch},
                              {"far beyond, zero", 16 * at.largest, at.last_ulp, 0, Answer::mismatch},
                              {"far beyond, NaN", 16 * at.largest, at.last_ulp, kNan, Answer::nonfinite},
                          });
}

TEST_P(Compare, SignedZero) {
  expect_rows(GetParam(), {
                              {"-0 for +0", 0, 0, -0.0, Answer::right},
                              {"+0 for -0", -0.0, 0, 0, Answer::right},
                              {"+0 for a negative within budget", -0.25, 0.5, 0, Answer::right},
                              {"-0 for a value without budget", 0.25, 0, -0.0, Answer::mismatch},
                          });
}

TEST_P(Compare, Subnormals) {
  const Edges at(GetParam());
  const double tiny = at.subnormal, normal = at.smallest_normal;
  expect_rows(GetParam(), {
                              {"itself", tiny, 0, tiny, Answer::right},
                              {"flushed to zero", tiny, tiny / 2, 0, Answer::mismatch},
                              {"flushed to zero, no budget", tiny, 0, 0, Answer::mismatch},
                              {"a zero that is not", 0, tiny / 2, tiny, Answer::mismatch},
                              {"a zero that is not, no budget", 0, 0, tiny, Answer::mismatch},
                              {"other sign", tiny, tiny, -tiny, Answer::mismatch},
                              {"its neighbour, half a spacing away", 1.5 * tiny, tiny / 2, 2 * tiny, Answer::right},
                              {"the largest flushed", normal - tiny, tiny, 0, Answer::mismatch},
                              {"the largest for the smallest normal", normal, tiny, normal - tiny, Answer::right},
                              {"two spacings below it", normal, tiny, normal - 2 * tiny, Answer::mismatch},
                          });
}

// An error of exactly the budget is within it; the next element, or a budget one bit smaller, is not.
TEST_P(Compare, Ties) {
  const Edges at(GetParam());
  const double step = at.above_one - 1;
  expect_rows(GetParam(), {
                              {"no error", 1, 0, 1, Answer::right},
                              {"any error without budget", 1, 0, at.above_one, Answer::mismatch},
                              {"at the budget", 1, step, 1 + step, Answer::right},
                              {"at the budget, below", -1, step, -1 - step, Answer::right},
                              {"one ulp above", 1, step, 1 + 2 * step, Answer::mismatch},
                              {"budget one bit smaller", 1, std::nextafter(step, 0), 1 + step, Answer::mismatch},
                              {"half way: either neighbour", 1 + step / 2, step / 2, 1, Answer::right},
                              {"half way: the other", 1 + step / 2, step / 2, 1 + step, Answer::right},
                              {"half way: the one after", 1 + step / 2, step / 2, 1 + 2 * step, Answer::mismatch},
                          });
}

// The ratio is what reports show and what is gated: error as a fraction of budget.
TEST_P(Compare, Ratio) {
  const DType dtype = GetParam();
  const auto ratio = [&](double value, double budget, double got) {
    return element(dtype, value, budget).compare(0, from_double(dtype, got)).error_over_budget;
  };
  EXPECT_EQ(ratio(1, 4, 2), 0.25);
  EXPECT_EQ(ratio(1, 4, -7), 2);
  EXPECT_EQ(ratio(1, 0, 1), 0);
  EXPECT_EQ(ratio(1, 0, 2), kInfinity);
  EXPECT_EQ(ratio(kInfinity, 4, kInfinity), 0);
}

// Elements that the reference left out are not judged.
TEST_P(Compare, UnknownElementsAreNeverWrong) {
  for (const double got : {0.0, 1e30, kInfinity, kNan})
    EXPECT_EQ(answer(GetParam(), 1, kInfinity, got), Answer::right) << got;
}

struct BitsRow {
  const char* name;
  double value;
  uint32_t want, got;
  Answer answer;
};

// Ops that only move elements must keep every bit: zero's sign and NaN's payload too, whatever the budget is.
TEST(CompareMoved, EveryBitCounts) {
  const BitsRow rows[] = {
      {"itself", 1, 0x3f800000, 0x3f800000, Answer::right},
      {"one bit", 1, 0x3f800000, 0x3f800001, Answer::mismatch},
      {"-0 for +0", 0, 0, 0x80000000, Answer::mismatch},
      {"NaN itself", kNan, 0x7fc00123, 0x7fc00123, Answer::right},
      {"a signalling NaN itself", kNan, 0x7f800001, 0x7f800001, Answer::right},
      {"another payload", kNan, 0x7fc00123, 0x7fc00000, Answer::mismatch},
      {"a signalling NaN made quiet", kNan, 0x7f800001, 0x7fc00001, Answer::mismatch},
      {"a number for NaN", kNan, 0x7fc00123, 0, Answer::nonfinite},
      {"NaN for a number", 1, 0x3f800000, 0x7fc00000, Answer::nonfinite},
      {"infinity for a number", 1, 0x3f800000, 0x7f800000, Answer::nonfinite},
      {"a subnormal flushed", 0x1p-149, 1, 0, Answer::mismatch},
  };
  for (const BitsRow& row : rows) {
    ExpectedTensor want = element(DType::f32, row.value, 1e30);
    want.bits = {row.want};
    EXPECT_EQ(answer(want, row.got), row.answer) << row.name;
  }
}

TEST(CompareMoved, IntegersAreComparedByTheirBits) {
  ExpectedTensor want = element(DType::u32, 4294967295, 1e30);
  want.bits = {4294967295};
  EXPECT_EQ(answer(want, 4294967295), Answer::right);
  EXPECT_EQ(answer(want, 4294967294), Answer::mismatch);
}

}  // namespace
}  // namespace assay
