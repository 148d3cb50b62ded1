// The budget against real f32 arithmetic: never exceeded by an honest sum, and never so wide that it accepts anything.
#include "harness/op/sum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "harness/tensor/fill.h"

namespace assay {
namespace {

constexpr double kFactor = 4;  // of the project's budgets

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
  const TrackedPrecision bf16({.unit = 0x1p-9});
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

}  // namespace
}  // namespace assay
