// The tracked scalar: the value of double, and errors as perturbing the input makes them.
#include "harness/op/tracked.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "harness/op/on_all_cores.h"
#include "harness/tensor/fill.h"

namespace assay {
namespace {

constexpr double kF32Unit = 0x1p-24;

Tracked any(Rng& rng) { return {normal(rng), 1e-10 * std::fabs(normal(rng)), 1e-6 * std::fabs(normal(rng))}; }

TEST(Tracked, ValuesAreThoseOfDoubleToTheBit) {
  Rng rng(6);
  for (int i = 0; i < 10'000; ++i) {
    const Tracked a = any(rng), b = any(rng);
    ASSERT_EQ((a + b).v, a.v + b.v);
    ASSERT_EQ((a - b).v, a.v - b.v);
    ASSERT_EQ((a * b).v, a.v * b.v);
    ASSERT_EQ((a / b).v, a.v / b.v);
    ASSERT_EQ((-a).v, -a.v);
    ASSERT_EQ(exp(a).v, exp(a.v));
    ASSERT_EQ(sin(a).v, sin(a.v));
    ASSERT_EQ(cos(a).v, cos(a.v));
    const Tracked positive(std::fabs(a.v), a.e, a.c);
    ASSERT_EQ(log(positive).v, log(positive.v));
    ASSERT_EQ(sqrt(positive).v, sqrt(positive.v));
    ASSERT_EQ(rsqrt(positive).v, 1 / sqrt(positive.v));
    ASSERT_EQ(larger(a, b).v, larger(a.v, b.v));
  }
}

// An input error d moves f by |f(a + d) - f(a)|: what `c` must become, to first order; `e` is the same, squared.
template <class F, class G>
void expect_propagates(const char* name, Tracked a, F tracked, G plain_function) {
  const double d = 1e-7;
  const double moved = std::fabs(plain_function(a.v + d) - plain_function(a.v - d)) / 2;
  const Tracked exact = tracked(Tracked(a.v));
  const Tracked common = tracked(Tracked(a.v, 0, d)), varied = tracked(Tracked(a.v, d * d, 0));
  EXPECT_NEAR(common.c - exact.c, moved, 1e-6 * moved + 1e-15) << name << " at " << a.v;
  EXPECT_NEAR(varied.e - exact.e, moved * moved, 1e-6 * moved * moved + 1e-24) << name << " at " << a.v;
}

TEST(Tracked, PropagatesErrorsAsPerturbingTheInputDoes) {
  const TrackedPrecision exact_arithmetic({.unit = 0});
  for (const double x : {0.1, 0.5, 1.5, 3.0, 7.0}) {
    const double b = 2.5;
    const Tracked tracked_b(b);
    expect_propagates(
        "exp", x, [](Tracked a) { return exp(a); }, [](double a) { return std::exp(a); });
    expect_propagates(
        "log", x, [](Tracked a) { return log(a); }, [](double a) { return std::log(a); });
    expect_propagates(
        "sqrt", x, [](Tracked a) { return sqrt(a); }, [](double a) { return std::sqrt(a); });
    expect_propagates(
        "rsqrt", x, [](Tracked a) { return rsqrt(a); }, [](double a) { return 1 / std::sqrt(a); });
    expect_propagates(
        "sin", x, [](Tracked a) { return sin(a); }, [](double a) { return std::sin(a); });
    expect_propagates(
        "cos", x, [](Tracked a) { return cos(a); }, [](double a) { return std::cos(a); });
    expect_propagates(
        "a/b", x, [&](Tracked a) { return a / tracked_b; }, [&](double a) { return a / b; });
    expect_propagates(
        "b/a", x, [&](Tracked a) { return tracked_b / a; }, [&](double a) { return b / a; });
    expect_propagates(
        "a*b", x, [&](Tracked a) { return a * tracked_b; }, [&](double a) { return a * b; });
    expect_propagates(
        "a-b", x, [&](Tracked a) { return a - tracked_b; }, [&](double a) { return a - b; });
    expect_propagates(
        "-a", x, [](Tracked a) { return -a; }, [](double a) { return -a; });
  }
}

TEST(Tracked, EveryRoundingCounts) {
  const double third = 1.0 / 3;
  for (const double v : {(Tracked(1) / Tracked(3)).e, (Tracked(third) + Tracked(0)).e, (Tracked(third) * Tracked(1)).e})
    EXPECT_NEAR(v, kF32Unit * kF32Unit * third * third / 3, 1e-6 * v);
  EXPECT_NEAR(exp(Tracked(1)).e, 4 * kF32Unit * kF32Unit * std::exp(2.0), 1e-6 * exp(Tracked(1)).e) << "two units";
  EXPECT_NEAR(sin(Tracked(1)).e, 4 * kF32Unit * kF32Unit * std::pow(std::sin(1.0), 2), 1e-6 * sin(Tracked(1)).e)
      << "two units";
  EXPECT_NEAR(cos(Tracked(1)).e, 4 * kF32Unit * kF32Unit * std::pow(std::cos(1.0), 2), 1e-6 * cos(Tracked(1)).e)
      << "two units";
  EXPECT_NEAR(rsqrt(Tracked(2)).e, 2 * kF32Unit * kF32Unit, 1e-6 * kF32Unit * kF32Unit) << "two units";
  EXPECT_GT((Tracked(0x1p-149) * Tracked(0.5)).spread(), 0x1p-151)
      << "a subnormal result may be off by half of the last";
}

// Both factors are differences of which nothing but errors is left: so is what is left of the product.
TEST(Tracked, AProductOfTwoErrorsIsWithinItsBudget) {
  Rng rng(8);
  double worst = 0;
  const auto lost = [&](Tracked& tracked) {  // (a + b) - c, where c is the sum to the last bit of f32 but one
    const auto a = static_cast<float>(1 + std::fabs(normal(rng))), b = static_cast<float>(std::fabs(normal(rng)));
    const float sum = a + b;
    const double rest = static_cast<double>(a) + static_cast<double>(b) - static_cast<double>(sum);
    tracked = Tracked(static_cast<double>(a)) + Tracked(static_cast<double>(b));
    tracked = tracked - Tracked(tracked.v);
    return rest;
  };
  for (int i = 0; i < 10'000; ++i) {
    Tracked a, b;
    const double error = std::fabs(lost(a) * lost(b));
    const Tracked product = a * b;
    ASSERT_EQ(product.v, 0);
    ASSERT_LE(error, kBudgetFactor * product.spread());
    worst = std::max(worst, error / (kBudgetFactor * product.spread()));
  }
  EXPECT_GT(worst, 0.1);
}

TEST(Tracked, WhatIsMadeOfAnUnknownIsOne) {
  const Tracked unknown = Tracked::unknown(), infinity(INFINITY);
  for (const Tracked made : {infinity + unknown, unknown - infinity, infinity * unknown, unknown / Tracked(0),
                             infinity / unknown, unknown + unknown})
    EXPECT_TRUE(std::isinf(made.e)) << "it may be the other infinity, or NaN";
}

TEST(Tracked, ThatWhichIsExactAddsNothingToAnUnknown) { EXPECT_EQ(Tracked::of_both_errors(Tracked::unknown(), 0), 0); }

TEST(Tracked, SharedMovesVarianceIntoTheCommonError) {
  const Tracked a = shared(Tracked(2, 9e-14, 1e-7));
  EXPECT_EQ(a.e, 0);
  EXPECT_DOUBLE_EQ(a.c, 4e-7);
  EXPECT_EQ(a.v, 2);
}

TEST(Tracked, NonFiniteValuesHaveNoBudget) {
  const Tracked infinite = Tracked(1, 1, 1) / Tracked(0);
  EXPECT_TRUE(std::isinf(infinite.v));
  EXPECT_EQ(infinite.spread(), 0);
  EXPECT_TRUE(std::isnan((infinite - infinite).v));
  EXPECT_EQ((infinite - infinite).spread(), 0);
  EXPECT_EQ(exp(-infinite).v, 0);
  EXPECT_TRUE(std::isfinite(exp(-infinite).spread()));
}

TEST(Tracked, InfinityTimesWhatMayBeRoundedToZeroIsAnything) {
  const Tracked infinity(INFINITY), lost(1e-9, 1e-16, 0), all_lost(1e-9, 0, 1e-9), near(1e-9, 1e-22, 0);
  EXPECT_TRUE(std::isinf((lost * infinity).e));
  EXPECT_TRUE(std::isinf((-infinity * all_lost).e));
  EXPECT_EQ((near * infinity).v, INFINITY);
  EXPECT_EQ((near * infinity).e, 0);
  EXPECT_TRUE(std::isnan((Tracked(0) * infinity).v)) << "and known to be";
  EXPECT_EQ((Tracked(0) * infinity).e, 0);
}

TEST(Tracked, PrecisionIsRestored) {
  {
    const TrackedPrecision wide({.unit = 0x1p-9});
    EXPECT_EQ(Tracked::unit, 0x1p-9);
    EXPECT_GT((Tracked(1) + Tracked(1)).spread(), 0x1p-10);
  }
  EXPECT_EQ(Tracked::unit, kF32Unit);
}

TEST(Larger, IsNanWhenEitherIsAndTheFirstOfEquals) {
  const double nan = std::nan("");
  EXPECT_TRUE(std::isnan(larger(nan, 1.0)));
  EXPECT_TRUE(std::isnan(larger(1.0, nan)));
  EXPECT_TRUE(std::isnan(larger(Tracked(nan), Tracked(1)).v));
  EXPECT_EQ(larger(1.0, 2.0), 2);
  EXPECT_EQ(larger(2.0, 1.0), 2);
  EXPECT_EQ(larger(Tracked(1, 5, 5), Tracked(1, 6, 6)).e, 5);
}

TEST(OnAllCores, EachPartIsDoneOnceAsDeclared) {
  const std::vector<std::string> rounds = {"p"};
  const TrackedPrecision precision({.unit = 0x1p-11, .smallest = 0x1p-25, .rounds = rounds, .ftz = true});
  std::vector<int> done(1000), as_declared(1000);
  on_all_cores<Tracked>(1000, 1e9, [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    ++done[at];
    as_declared[at] = Tracked::unit == 0x1p-11 && Tracked::smallest == 0x1p-25 && Tracked::ftz && !Tracked::fast_math &&
                      *Tracked::rounds == rounds;
  });
  EXPECT_EQ(done, std::vector<int>(1000, 1));
  EXPECT_EQ(as_declared, std::vector<int>(1000, 1));
}

}  // namespace
}  // namespace assay
