// Every registered fill: the same data for ever, and what each promises about it.
#include "harness/tensor/fill.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "harness/tensor/counter.h"

namespace assay {
namespace {

constexpr FillTarget kTarget{.dtype = DType::f32, .count = 4096, .cols = 64, .magnitude = 1000};

std::vector<double> made(const Fill& fill, const FillTarget& target, uint64_t seed) {
  std::vector<double> values(static_cast<size_t>(target.count));
  Rng rng = Rng::stream(seed, "x");
  fill.make(target, rng, values);
  return values;
}

// Equal, where NaN equals NaN.
bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

int64_t count_if(const std::vector<double>& values, bool (*condition)(double)) {
  return std::count_if(values.begin(), values.end(), condition);
}
bool is_nan(double value) { return std::isnan(value); }
bool is_infinite(double value) { return std::isinf(value); }

// The first row of four for seed 7, tensor x, magnitude 1000. A fill without an entry fails the test.
const std::map<std::string, std::string> kFirstRow = {
    {"all_equal", "-0.7896209883604683 -0.7896209883604683 -0.7896209883604683 -0.7896209883604683"},
    {"ascending", "-1.3044519327556259 -0.7896209883604683 -0.5668357383813714 0.8498458526185004"},
    {"cancelling", "-0.7896209883604683 0.7896209883604683 0.8498458526185004 -0.8498458526185004"},
    {"descending", "0.8498458526185004 -0.5668357383813714 -0.7896209883604683 -1.3044519327556259"},
    {"exponents", "-16.7418212890625 88.02764892578125 -14.425018310546875 -58.713165283203125"},
    {"infinities", "-0.7896209883604683 0.9512427611068119 -0.23736227240686958 -0.9593432612023776"},
    {"integers", "-2 1 1 2"},
    {"largest", "1000 1000 1000 -1000"},
    {"lowest_rows", "-0.7896209883604683 0.8498458526185004 -0.5668357383813714 -1.3044519327556259"},
    {"nan", "-0.7896209883604683 0.9512427611068119 -0.23736227240686958 nan"},
    {"nan_bits", "-0.7896209883604683 -nan -0.5668357383813714 -1.3044519327556259"},
    {"negative_zero", "-0.7896209883604683 -0 -0 -0.9593432612023776"},
    {"normal", "-0.7896209883604683 0.8498458526185004 -0.5668357383813714 -1.3044519327556259"},
    {"one_huge", "-0.7896209883604683 -1000 -0.5668357383813714 -1.3044519327556259"},
    {"row_of_each", "1.0486410063589346 0 0 0"},
    {"runs", "-0.28923104261093613 -0.28923104261093613 -0.28923104261093613 -0.28923104261093613"},
    {"subnormal", "-1.0619684359947053e-38 7.786379376750205e-39 2.818239623406892e-39 1.1268230512608936e-38"},
    {"subnormal_among", "3.8931896883751025e-39 -0.4655022578749026 0.26191703170263736 1.0828929049236964e-38"},
    {"ties", "-0.75 0 0 0.75"},
    {"uniform", "0.2741442918777466 0.6655979156494141 0.5599372982978821 0.739648699760437"},
};

TEST(Fill, IsRegisteredSortedAndExplained) {
  ASSERT_FALSE(fills().empty());
  const auto by_name = [](const Fill& a, const Fill& b) { return a.name < b.name; };
  EXPECT_TRUE(std::is_sorted(fills().begin(), fills().end(), by_name));
  for (const Fill& fill : fills()) {
    EXPECT_FALSE(fill.reveals.empty()) << fill.name;
    EXPECT_EQ(find_fill(fill.name), &fill);
  }
  EXPECT_EQ(find_fill("no such fill"), nullptr);
}

TEST(Fill, GivesTheValuesThatSavedCasesWereFoundWith) {
  for (const Fill& fill : fills()) {
    const auto row = made(fill, {.dtype = DType::f32, .count = 4, .cols = 4, .magnitude = 1000}, 7);
    const std::string text = fmt::format("{}", fmt::join(row, " "));  // digits enough to come back as the same number
    const auto golden = kFirstRow.find(fill.name);
    ASSERT_NE(golden, kFirstRow.end()) << "add {\"" << fill.name << "\", \"" << text << "\"} to kFirstRow";
    EXPECT_EQ(text, golden->second) << fill.name << " changed: saved cases no longer replay";
  }
}

TEST(Fill, IsAFunctionOfItsSeed) {
  for (const Fill& fill : fills()) {
    EXPECT_TRUE(same(made(fill, kTarget, 3), made(fill, kTarget, 3))) << fill.name;
    EXPECT_FALSE(same(made(fill, kTarget, 3), made(fill, kTarget, 4))) << fill.name;
  }
}

TEST(Fill, HasNonFiniteValuesExactlyWhenItSaysSo) {
  for (const Fill& fill : fills())
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const auto values = made(fill, kTarget, seed);
      EXPECT_EQ(count_if(values, is_nan) > 0, fill.has_nan) << fill.name << " seed " << seed;
      EXPECT_EQ(count_if(values, is_infinite) > 0, fill.has_infinity) << fill.name << " seed " << seed;
    }
}

TEST(Fill, StaysWithinTheMagnitudeAndTheDtype) {
  for (const Fill& fill : fills())
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16})
      for (const double magnitude : {100.0, max_finite(dtype)})
        for (const double value : made(fill, {.dtype = dtype, .count = 500, .cols = 10, .magnitude = magnitude}, 5))
          if (std::isfinite(value)) {
            ASSERT_LE(std::fabs(value), magnitude) << fill.name << " " << name(dtype);
            ASSERT_TRUE(std::isfinite(to_double(dtype, from_double(dtype, value)))) << fill.name << " " << name(dtype);
          }
}

// 4096 products of such numbers, summed in f32 in two orders and exactly.
TEST(Fill, AnExactOneSumsToTheSameBitsInEveryOrder) {
  for (const Fill& fill : fills()) {
    if (!fill.exact) continue;
    const auto a = made(fill, kTarget, 1), b = made(fill, kTarget, 2);
    float forward = 0, backward = 0;
    double exact = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      forward += static_cast<float>(a[i]) * static_cast<float>(b[i]);
      backward += static_cast<float>(a[a.size() - 1 - i]) * static_cast<float>(b[a.size() - 1 - i]);
      exact += a[i] * b[i];
    }
    EXPECT_EQ(forward, backward) << fill.name;
    EXPECT_EQ(static_cast<double>(forward), exact) << fill.name;
    for (const double value : a) ASSERT_EQ(to_double(DType::bf16, from_double(DType::bf16, value)), value) << fill.name;
  }
}

TEST(Fill, CopesWithEveryShape) {
  for (const Fill& fill : fills())
    for (const FillTarget& target : {FillTarget{.dtype = DType::bf16, .count = 0, .cols = 1, .magnitude = 1},
                                     FillTarget{.dtype = DType::bf16, .count = 1, .cols = 1, .magnitude = 1},
                                     FillTarget{.dtype = DType::bf16, .count = 7, .cols = 7, .magnitude = 1},
                                     FillTarget{.dtype = DType::bf16, .count = 9, .cols = 1, .magnitude = 1}})
      EXPECT_EQ(made(fill, target, 1).size(), static_cast<size_t>(target.count)) << fill.name;
}

// `draws` promises that any part is what it is in the whole, and the generator is as far as after that many draws.
TEST(Fill, PartsAreThoseOfTheWhole) {
  int fills_in_parts = 0;
  for (const Fill& fill : fills()) {
    if (fill.draws == 0) continue;
    ++fills_in_parts;
    const std::vector<double> whole = made(fill, kTarget, 7);
    for (const auto& [begin, end] : {std::pair<size_t, size_t>{0, 1}, {1, 64}, {777, 4096}, {4095, 4096}}) {
      Rng rng = skipped(Rng::stream(7, "x"), begin * static_cast<size_t>(fill.draws));
      std::vector<double> part(end - begin);
      FillTarget target = kTarget;
      target.count = static_cast<int64_t>(part.size());
      fill.make(target, rng, part);
      EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<int64_t>(begin))) << fill.name;
      EXPECT_EQ(counter_of(rng), counter_of(skipped(Rng::stream(7, "x"), end * static_cast<size_t>(fill.draws))));
    }
  }
  EXPECT_EQ(fills_in_parts, 3) << "normal, uniform and integers";
}

TEST(Counter, IsAsFarAsSoManyDraws) {
  Rng rng(5);
  for (int i = 0; i < 1000; ++i) rng.next();
  EXPECT_EQ(skipped(Rng(5), 1000).next(), rng.next());
}

TEST(Fill, NormalHasMeanZeroVarianceOneAndIsBounded) {
  Rng rng(11);
  double sum = 0, squares = 0, largest = 0;
  constexpr int kCount = 100'000;
  for (int i = 0; i < kCount; ++i) {
    const double value = normal(rng);
    sum += value;
    squares += value * value;
    largest = std::max(largest, std::fabs(value));
  }
  EXPECT_NEAR(sum / kCount, 0, 0.02);  // six standard deviations
  EXPECT_NEAR(squares / kCount, 1, 0.03);
  EXPECT_LT(largest, 6);
  EXPECT_GT(largest, 3.5);
}

}  // namespace
}  // namespace assay
