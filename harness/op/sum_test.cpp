// The budget of a sum against real f32 arithmetic: never exceeded by an honest order, and never so wide that it accepts
// anything. sum_campaign_test.cpp asks the first of far more data.
#include "harness/op/sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "harness/op/rounding.h"
#include "harness/op/test_sums.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

constexpr double kFactor = 4;  // of the project's budgets
constexpr double kU = 0x1p-24;

Terms terms_of(const Fill& fill, int64_t count, uint64_t seed) {
  std::vector<double> values(static_cast<size_t>(count));
  Rng rng = Rng::stream(seed, "terms");
  fill.make({.dtype = DType::f32, .count = count, .cols = count, .magnitude = 100}, rng, values);
  return {values.begin(), values.end()};
}

TEST(TrackedSum, HoldsForFillsInEveryOrderAndIsNotIdle) {
  const std::vector<SumOrder> orders = sum_orders();
  int inexact = 0;  // fills whose sums are not exact anyway
  for (const Fill& fill : fills()) {
    if (fill.has_nan || fill.has_infinity) continue;
    double worst = 0;
    for (const int64_t count : {1, 2, 3, 5, 17, 64, 65, 300, 1024, 5000})
      for (uint64_t seed = 0; seed < 10; ++seed) {
        const Terms terms = terms_of(fill, count, seed);
        Sum<Tracked> budget;
        long double exact = 0;
        for (const float term : terms) {
          budget.add(static_cast<double>(term));
          exact += static_cast<long double>(term);
        }
        const double allowed = kFactor * budget.value().spread();
        Rng rng(seed);
        for (const SumOrder& order : orders) {
          const auto error = static_cast<double>(std::fabs(static_cast<long double>(order.sum(terms, rng)) - exact));
          if (error == 0) continue;
          ASSERT_LE(error, allowed) << fill.name << " " << order.name << " n=" << count << " seed=" << seed;
          worst = std::max(worst, error / allowed);
        }
      }
    EXPECT_TRUE(worst == 0 || (!fill.exact && worst > 0.05)) << fill.name << ": worst error / budget is " << worst;
    inexact += worst > 0;
    RecordProperty("worst_" + fill.name, std::to_string(worst));
  }
  EXPECT_GE(inexact, 5);
}

Sum<Tracked> sum_of(const std::vector<double>& terms) {
  Sum<Tracked> sum;
  for (const double term : terms) sum.add(term);
  return sum;
}

std::vector<double> normal_terms(size_t count, uint64_t seed) {
  Rng rng = Rng::stream(seed, "terms");
  std::vector<double> terms(count);
  for (double& term : terms) term = static_cast<float>(normal(rng));
  return terms;
}

// The budget of a long sum is that of honest orders: a hundred times sharper than (n-1) (unit·Σ|t|)²/3.
TEST(TrackedSum, OfManyTermsOfBothSignsIsSharp) {
  const std::vector<double> terms = normal_terms(65'536, 1);
  double magnitude = 0, serial_error = 0;
  float serial = 0;
  for (const double term : terms) {
    magnitude += std::fabs(term);
    serial += static_cast<float>(term);
  }
  const Tracked sum = sum_of(terms).value();
  serial_error = std::fabs(static_cast<double>(serial) - sum.v);
  EXPECT_LT(sum.spread(), std::sqrt(65'535.0 / 3) * kU * magnitude / 100);
  EXPECT_GT(kFactor * sum.spread(), serial_error);
  EXPECT_GT(serial_error, 0.02 * kFactor * sum.spread());
}

// A sum in f16 comes to infinity in some order, though it is small: no result is wrong there.
TEST(TrackedSum, ThatMayOverflowOnItsWayIsUnknown) {
  const std::vector<double> fit = {60'000, 5'000, -100}, overflow = {60'000, -69'000, 10'000};
  EXPECT_TRUE(std::isfinite(sum_of(overflow).value().e)) << "in f32";
  const TrackedPrecision halves({.unit = 0x1p-11, .smallest = 0x1p-25, .largest = 65'504});
  EXPECT_TRUE(std::isfinite(sum_of(fit).value().e));
  EXPECT_EQ(sum_of(overflow).value().e, Tracked::unknown().e);
  const Tracked product = Tracked(300) * Tracked(300);
  EXPECT_EQ(product.e, Tracked::unknown().e);
  EXPECT_EQ((product * Tracked(0)).e, Tracked::unknown().e) << "infinity times 0 is NaN";
  Sum<Tracked> beside;
  beside.add(Tracked(INFINITY));
  beside.add(product);
  EXPECT_EQ(beside.value().e, Tracked::unknown().e) << "it may be NaN";
}

// 10⁶ terms, one after another: nothing unusual for a kernel with one thread for each row.
TEST(TrackedSum, OfAMillionTermsHoldsForTheSerialOrder) {
  for (const double mean : {0.0, 1.0}) {
    Sum<Tracked> sum;
    float serial = 0;
    Rng rng(7);
    for (int i = 0; i < 1'000'000; ++i) {
      const auto term = static_cast<float>(mean + normal(rng));
      sum.add(static_cast<double>(term));
      serial += term;
    }
    const double error = std::fabs(static_cast<double>(serial) - sum.value().v);
    EXPECT_LE(error, kFactor * sum.value().spread()) << mean;
    EXPECT_GT(error, 0) << mean;
  }
}

// A sum of two terms is one rounding: its budget is what that can come to, not more.
TEST(TrackedSum, OfTwoTermsIsOneRounding) {
  EXPECT_DOUBLE_EQ(kFactor * sum_of({1, 0x1p-10}).value().spread(), kU * (1 + 0x1p-10));
}

// Weights that underflow say nothing of how the others are rounded.
TEST(TrackedSum, HasRoundingsWhereTheFirstTermsAreZeroOrCancel) {
  const double expected = sum_of({0.3f, 0.7f, 0.9f}).value().spread();
  EXPECT_GE(sum_of({0, 0, 0, 0, 0.3f, 0.7f, 0.9f}).value().spread(), expected);
  EXPECT_GE(sum_of({0.1f, -0.1f, 0.2f, -0.2f, 0.3f, 0.7f, 0.9f}).value().spread(), expected);
}

// Softmax weights: a thread that begins with the largest term never sees the small ones, whatever order the index has.
TEST(TrackedSum, AllowsForTermsThatVanishBesideTheLargest) {
  std::vector<double> terms(10'000, 0x1p-26);
  terms.push_back(1);
  float serial = 1;
  for (int i = 0; i < 10'000; ++i) serial += 0x1p-26f;
  const Tracked sum = sum_of(terms).value();
  ASSERT_EQ(serial, 1);
  EXPECT_LE(sum.v - 1, kFactor * sum.spread());
}

// Sorted terms, the largest first, added in f16: at the end each is lost, one after the other.
TEST(TrackedSum, AllowsForTermsThatChangeSlowlyInAFormatOfFewBits) {
  const TrackedPrecision f16({.unit = 0x1p-11, .smallest = 0x1p-25});
  constexpr int kTerms = 3000;
  Terms terms;
  Sum<Tracked> sum;
  for (int i = 0; i < kTerms; ++i) {
    terms.push_back(static_cast<float>(rounded_to((i + 0.5) / kTerms, 0x1p-11, 0)));
    sum.add(static_cast<double>(terms.back()));
  }
  const double error = std::fabs(sums::serial(Adder(11), {terms.rbegin(), terms.rend()}) - sum.value().v);
  EXPECT_GT(error, 0.1 * sum.value().v);
  EXPECT_LE(error, kFactor * sum.value().spread());
}

TEST(TrackedSum, IsThePlainSumInValue) {
  Rng rng(5);
  Sum<double> plain_sum;
  Sum<Tracked> tracked_sum;
  for (int i = 0; i < 1000; ++i) {
    const double term = normal(rng);
    plain_sum.add(term);
    tracked_sum.add(term);
  }
  EXPECT_EQ(tracked_sum.value().v, plain_sum.value());
}

TEST(TrackedSum, OfNothingAndOfOneTermHasNoRoundings) {
  EXPECT_EQ(Sum<Tracked>().value().spread(), 0);
  Sum<Tracked> one;
  one.add(Tracked(3, 4, 5));
  EXPECT_EQ(one.value().v, 3);
  EXPECT_EQ(one.value().e, 4);
  EXPECT_EQ(one.value().c, 5);
}

// Pairs of equal terms err in step with each other, but not with the other pairs.
TEST(TrackedSum, EqualTermsErrInStepWithTheirLikesOnly) {
  const TrackedPrecision exact_additions({.unit = 0});
  Sum<Tracked> pairs, one_value;
  for (int i = 0; i < 64; ++i) {
    pairs.add(Tracked(1 + i / 2, 1, 0));
    one_value.add(Tracked(3, 1, 0));
  }
  EXPECT_DOUBLE_EQ(pairs.value().e, 32 * 4);
  EXPECT_DOUBLE_EQ(one_value.value().e, 64 * 64);
}

TEST(Sum, IsUndecidedOnlyWithinItsBudgetOfAThreshold) {
  Sum<Tracked> sum;
  sum.add(0.3f);
  sum.add(0.2f);
  const double v = sum.value().v, budget = kBudgetFactor * sum.value().spread();
  EXPECT_TRUE(sum.undecided(v));
  EXPECT_TRUE(sum.undecided(v + 0.99 * budget));
  EXPECT_TRUE(sum.undecided(v - 0.99 * budget));
  EXPECT_FALSE(sum.undecided(v + 1.01 * budget));
  EXPECT_FALSE(sum.undecided(v - 1.01 * budget));
}

TEST(Sum, DecidesWhereEveryOrderOfAdditionIsExact) {
  Sum<Tracked> none, grid, long_grid, rounded_term;
  EXPECT_FALSE(none.undecided(0));
  for (const double term : {0.5, 0.0, -0.125, 3.0}) grid.add(term);
  EXPECT_FALSE(grid.undecided(3.375));
  for (const double term : {0x1p-24, 0.5, 0.5}) long_grid.add(term);  // 1 + 2^-24 is no f32
  EXPECT_TRUE(long_grid.undecided(1 + 0x1p-24));
  rounded_term.add(Tracked(1) / Tracked(2));  // a kernel's half may be rounded otherwise
  EXPECT_TRUE(rounded_term.undecided(0.5));
}

// A precision of fewer bits rounds where f32 does not.
TEST(Sum, ExactnessIsThatOfTheKernelsPrecision) {
  const TrackedPrecision bf16({.unit = 0x1p-9});
  Sum<Tracked> sum;
  sum.add(1);
  sum.add(0x1p-10);
  EXPECT_TRUE(sum.undecided(1 + 0x1p-10));
}

// Weights and activations may come in runs. Serial sums of such terms strayed 1.2 budgets when only the likes of
// the first four terms counted, and a bias before them kept the reference's own serial sum from showing it.
TEST(Recurrence, CountsRunsThatTheFirstTermsAreNotOf) {
  Recurrence terms;
  for (int i = 0; i < 4; ++i) terms.add(2.0 + i);
  for (int i = 0; i < 252; ++i) terms.add(i / 28 % 2 == 0 ? 0.07 : -0.06);
  EXPECT_EQ(terms.second_moment(256), 4 + 9 * 28 * 28);
}

// A value that comes every other time stays known, whatever lies between.
TEST(TrackedSum, RemembersAValueThatComesAgainAndAgain) {
  const TrackedPrecision exact_additions({.unit = 0});
  Sum<Tracked> sum;
  for (int i = 0; i < 100; ++i) {
    sum.add(Tracked(3, 1, 0));
    sum.add(Tracked(10 + i, 0.01, 0));
  }
  EXPECT_NEAR(sum.value().e, 100 * 100 + 100 * 0.01, 1e-6);
}

}  // namespace
}  // namespace assay
