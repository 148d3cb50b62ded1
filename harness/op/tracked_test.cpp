// The budget against real f32 arithmetic: never exceeded by an honest sum, and never so wide that it accepts anything.
#include "harness/op/tracked.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness/tensor/fill.h"

namespace assay {
namespace {

constexpr double kFactor = 4;  // of the project's budgets
constexpr double kU = 0x1p-24;

double sequential(const std::vector<float>& terms) { return std::accumulate(terms.begin(), terms.end(), 0.0f); }

double pairwise(std::vector<float> terms) {
  while (terms.size() > 1) {
    for (size_t i = 0; i < terms.size() / 2; ++i) terms[i] = terms[2 * i] + terms[2 * i + 1];
    if (terms.size() % 2) terms[terms.size() / 2] = terms.back();
    terms.resize((terms.size() + 1) / 2);
  }
  return terms.empty() ? 0 : terms[0];
}

// As 32 threads do it: each every 32nd term, then a tree over the threads.
double strided(const std::vector<float>& terms) {
  std::vector<float> lanes(32, 0.0f);
  for (size_t i = 0; i < terms.size(); ++i) lanes[i % 32] += terms[i];
  return pairwise(lanes);
}

double reversed(std::vector<float> terms) {
  std::reverse(terms.begin(), terms.end());
  return sequential(terms);
}

double ascending(std::vector<float> terms) {
  std::sort(terms.begin(), terms.end());
  return sequential(terms);
}

double descending(std::vector<float> terms) {
  std::sort(terms.rbegin(), terms.rend());
  return sequential(terms);
}

struct Order {
  const char* name;
  double (*sum)(std::vector<float>);
};

const Order kOrders[] = {{"sequential", [](std::vector<float> t) { return sequential(t); }},
                         {"pairwise", pairwise},
                         {"strided", [](std::vector<float> t) { return strided(t); }},
                         {"reversed", reversed},
                         {"ascending", ascending},
                         {"descending", descending}};

std::vector<float> terms_of(const Fill& fill, int64_t count, uint64_t seed) {
  std::vector<double> values(static_cast<size_t>(count));
  Rng rng = Rng::stream(seed, "terms");
  fill.make({.dtype = DType::f32, .count = count, .cols = count, .magnitude = 100}, rng, values);
  return {values.begin(), values.end()};
}

TEST(TrackedSum, HoldsForEveryOrderOfAdditionAndIsNotIdle) {
  int inexact = 0;  // fills whose sums are not exact anyway
  for (const Fill& fill : fills()) {
    if (fill.has_nan || fill.has_infinity) continue;
    double worst = 0;
    for (const int64_t count : {1, 2, 3, 5, 17, 64, 65, 300, 1024, 5000})
      for (uint64_t seed = 0; seed < 40; ++seed) {
        const std::vector<float> terms = terms_of(fill, count, seed);
        Sum<Tracked> budget;
        long double exact = 0;
        for (const float term : terms) {
          budget.add(static_cast<double>(term));
          exact += static_cast<long double>(term);
        }
        const double allowed = kFactor * budget.value().spread();
        for (const Order& order : kOrders) {
          const double error = static_cast<double>(std::fabs(order.sum(terms) - exact));
          if (error == 0) continue;
          ASSERT_LE(error, allowed) << fill.name << " " << order.name << " n=" << count << " seed=" << seed;
          worst = std::max(worst, error / allowed);
        }
      }
    EXPECT_TRUE(worst == 0 || (!fill.exact && worst > 0.01)) << fill.name << ": worst error / budget is " << worst;
    inexact += worst > 0;
    RecordProperty("worst_" + fill.name, std::to_string(worst));
  }
  EXPECT_GE(inexact, 5);
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
  const TrackedPrecision exact_arithmetic(0);
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
    EXPECT_NEAR(v, kU * kU * third * third / 3, 1e-6 * v);
  EXPECT_NEAR(exp(Tracked(1)).e, 4 * kU * kU * std::exp(2.0), 1e-6 * exp(Tracked(1)).e) << "two units";
  EXPECT_NEAR(sin(Tracked(1)).e, 4 * kU * kU * std::pow(std::sin(1.0), 2), 1e-6 * sin(Tracked(1)).e) << "two units";
  EXPECT_NEAR(cos(Tracked(1)).e, 4 * kU * kU * std::pow(std::cos(1.0), 2), 1e-6 * cos(Tracked(1)).e) << "two units";
  EXPECT_GT((Tracked(0x1p-149) * Tracked(0.5)).spread(), 0x1p-151)
      << "a subnormal result may be off by half of the last";
}

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

TEST(Tracked, PrecisionIsRestored) {
  {
    const TrackedPrecision wide(0x1p-9);
    EXPECT_EQ(Tracked::unit, 0x1p-9);
    EXPECT_GT((Tracked(1) + Tracked(1)).spread(), 0x1p-10);
  }
  EXPECT_EQ(Tracked::unit, kU);
}

TEST(Tracked, OperandsAreRoundedToWhatTheKernelDeclares) {
  EXPECT_EQ(operand(Tracked(3, 4, 5)).e, 4);
  {
    const TrackedPrecision bf16(kU, 0x1p-8, 0);
    EXPECT_DOUBLE_EQ(operand(Tracked(0.3, 0, 5)).e, 0.09 * 0x1p-16 / 3);
    EXPECT_EQ(operand(Tracked(0.3, 0, 5)).c, 5);
    EXPECT_DOUBLE_EQ(operand(Tracked(0.3), 2).e, 5 * 0.09 * 0x1p-16 / 3);  // the third of three equal ones: 9 - 4
    EXPECT_EQ(operand(Tracked(3)).e, 0);                                   // is a bf16
    EXPECT_EQ(operand(0.3), 0.3);
    EXPECT_EQ(operand(0.3f), 0.30078125f);
  }
  EXPECT_EQ(operand(Tracked(0.3)).e, 0);
  EXPECT_EQ(operand(0.3f), 0.3f);
}

// Pairs of equal terms err in step with each other, but not with the other pairs.
TEST(TrackedSum, EqualTermsErrInStepWithTheirLikesOnly) {
  Sum<Tracked> pairs, one_value;
  for (int i = 0; i < 64; ++i) {
    pairs.add(Tracked(1 + i / 2, 1, 0));
    one_value.add(Tracked(3, 1, 0));
  }
  EXPECT_DOUBLE_EQ(pairs.value().e - 63 * Tracked::rounding(pairs.value().v), 32 * 4);
  EXPECT_DOUBLE_EQ(one_value.value().e - 63 * Tracked::rounding(one_value.value().v), 64 * 64);
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
  const TrackedPrecision bf16(0x1p-9);
  Sum<Tracked> sum;
  sum.add(1);
  sum.add(0x1p-10);
  EXPECT_TRUE(sum.undecided(1 + 0x1p-10));
}

// A value that comes every other time stays known, whatever lies between.
TEST(TrackedSum, RemembersAValueThatComesAgainAndAgain) {
  Sum<Tracked> sum;
  double others = 0;
  for (int i = 0; i < 100; ++i) {
    sum.add(Tracked(3, 1, 0));
    sum.add(Tracked(10 + i, 0, 0));
    others += 10 + i;
  }
  EXPECT_DOUBLE_EQ(sum.value().e - 199 * Tracked::rounding(300 + others), 100 * 100);
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

}  // namespace
}  // namespace assay
