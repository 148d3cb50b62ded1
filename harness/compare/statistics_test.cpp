// The statistics against values worked out by hand or published, and against laws that hold for any samples.
#include "harness/compare/statistics.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>

#include "harness/base/rng.h"
#include "harness/tensor/fill.h"

namespace assay::comparison {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;

std::vector<double> numbers(int from, int to) {
  std::vector<double> all(static_cast<size_t>(to - from + 1));
  std::iota(all.begin(), all.end(), from);
  return all;
}

TEST(MannWhitney, AgreesWithTheFormula) {
  // U = 0 of 64, mean 32, variance 8·8·17/12: z = 31.5 / 9.5219.
  EXPECT_NEAR(mann_whitney({numbers(1, 8)}, {numbers(9, 16)}), 9.391e-4, 1e-6);
  // Interleaved: ranks 1 3 5 … 15 sum to 64, U = 28, z = 3.5 / 9.5219.
  EXPECT_NEAR(mann_whitney({{1, 3, 5, 7, 9, 11, 13, 15}}, {{2, 4, 6, 8, 10, 12, 14, 16}}), 0.71317, 1e-4);
  EXPECT_EQ(mann_whitney({{1, 1, 1}}, {{1, 1, 1}}), 1);
}

TEST(MannWhitney, TiesTakeVarianceAway) {
  // Ranks of the ties are 4.5 each (six values of 2), so U = 4.5 of 16 and the variance loses (6³-6)/(8·7)·16/12.
  const double variance = 16.0 / 12 * (9 - 210.0 / 56), z = (3.5 - 0.5) / std::sqrt(variance);
  EXPECT_NEAR(mann_whitney({{1, 2, 2, 2}}, {{2, 2, 2, 3}}), std::erfc(z / std::sqrt(2)), 1e-9);
}

TEST(MannWhitney, ProcessesAreTheUnitWhereThereAreFifteen) {
  Samples before, after;
  for (int process = 0; process < 15; ++process) {
    before.push_back(std::vector<double>(100, 1 + process));
    after.push_back(std::vector<double>(100, 16 + process));
  }
  // The p is that of fifteen samples, not of 1,500: U = 0 of 225, z = 112 / sqrt(225·31/12).
  EXPECT_NEAR(mann_whitney(before, after), 3.392e-6, 1e-8);
  before.pop_back();
  EXPECT_LT(mann_whitney(before, after), 1e-9);
}

RC_GTEST_PROP(MannWhitneyLaws, SidesAndUnitsDoNotMatter, ()) {
  const auto times = rc::gen::container<std::vector<double>>(
      rc::gen::map(rc::gen::inRange(1, 100), [](int us) { return static_cast<double>(us); }));
  const auto a = *rc::gen::nonEmpty(times), b = *rc::gen::nonEmpty(times);
  const double p = mann_whitney({a}, {b});
  RC_ASSERT(p >= 0 && p <= 1);
  RC_ASSERT(std::fabs(mann_whitney({b}, {a}) - p) < 1e-12);
  std::vector<double> twice_a = a, twice_b = b;
  for (auto* all : {&twice_a, &twice_b})
    for (double& value : *all) value *= 2;
  RC_ASSERT(mann_whitney({twice_a}, {twice_b}) == p);
}

TEST(FalseDiscoveries, AreAdjustedAsBenjaminiAndHochbergDo) {
  EXPECT_THAT(
      false_discovery_adjusted({0.01, 0.04, 0.03, 0.005}),
      ElementsAre(DoubleNear(0.02, 1e-12), DoubleNear(0.04, 1e-12), DoubleNear(0.04, 1e-12), DoubleNear(0.02, 1e-12)));
  EXPECT_THAT(false_discovery_adjusted({}), ElementsAre());
  EXPECT_THAT(false_discovery_adjusted({1, 1}), Each(1));
}

std::vector<double> normals(size_t n, double mean, double deviation, Rng& rng) {
  std::vector<double> all;
  for (size_t i = 0; i < n; ++i) all.push_back(mean + deviation * normal(rng));
  return all;
}

TEST(ShiftOfMedians, IsThatOfTheMediansWithAnIntervalAroundIt) {
  Rng rng(1);
  const Shift shift = shift_of_medians({normals(30, 100, 1, rng)}, {normals(30, 105, 1, rng)}, 1);
  EXPECT_NEAR(std::exp(shift.log_ratio), 1.05, 0.01);
  EXPECT_LT(shift.low, shift.log_ratio);
  EXPECT_GT(shift.high, shift.log_ratio);
  EXPECT_NEAR(shift.standard_error, 0.01 * 1.25 * std::sqrt(2.0 / 30), 0.0015);
}

TEST(ShiftOfMedians, IntervalsHoldTheTruthAsOftenAsTheyClaim) {
  int held = 0, trials = 300;
  for (int trial = 0; trial < trials; ++trial) {
    Rng rng = Rng::stream(7, std::to_string(trial));
    const Shift shift = shift_of_medians({normals(30, 100, 1, rng)}, {normals(30, 100, 1, rng)}, 1);
    held += shift.low <= 0 && shift.high >= 0;
  }
  EXPECT_GE(held, trials * 91 / 100);
  EXPECT_LE(held, trials * 99 / 100);
}

// Samples of a process are alike: a hundred of them are no more than one.
TEST(ShiftOfMedians, ProcessesWidenTheInterval) {
  Rng rng(3);
  Samples before, after;
  for (int process = 0; process < 6; ++process) {
    before.push_back(normals(100, 100 + normal(rng), 0.01, rng));
    after.push_back(normals(100, 100 + normal(rng), 0.01, rng));
  }
  EXPECT_GT(shift_of_medians(before, after, 1).standard_error, 0.003);
}

TEST(ShiftOfMedians, TheSameSeedGivesTheSame) {
  Rng rng(1);
  const Samples before{normals(20, 100, 1, rng)}, after{normals(21, 100, 1, rng)};
  EXPECT_EQ(shift_of_medians(before, after, 5).low, shift_of_medians(before, after, 5).low);
  EXPECT_NE(shift_of_medians(before, after, 5).low, shift_of_medians(before, after, 6).low);
}

TEST(ShiftOfMedians, NoMedianAboveZeroIsNoShift) {
  EXPECT_TRUE(std::isnan(shift_of_medians({{0, 0}}, {{1, 1}}, 1).log_ratio));
  EXPECT_TRUE(std::isnan(shift_of_medians({}, {{1, 1}}, 1).log_ratio));
  EXPECT_EQ(shift_p(shift_of_medians({}, {{1, 1}}, 1), 0.01, 30), 1);
}

std::vector<Shift> shifts(size_t n, double spread, double error, Rng& rng) {
  std::vector<Shift> all;
  for (size_t i = 0; i < n; ++i) all.push_back({std::hypot(spread, error) * normal(rng), 0, 0, error});
  return all;
}

TEST(SpreadBetweenRuns, IsWhatErrorsDoNotExplain) {
  Rng rng(1);
  EXPECT_NEAR(spread_between_runs(shifts(400, 0.01, 0.003, rng)), 0.01, 0.002);
  EXPECT_LT(spread_between_runs(shifts(400, 0, 0.003, rng)), 0.002);
  EXPECT_EQ(spread_between_runs(shifts(kRowsForSpread - 1, 0.1, 0, rng)), kBetweenRuns);
}

TEST(SpreadBetweenRuns, RowsThatChangedHardlyCount) {
  Rng rng(1);
  std::vector<Shift> all = shifts(200, 0.005, 0.003, rng);
  for (size_t i = 0; i < 40; ++i) all[i].log_ratio += 0.5;
  EXPECT_LT(spread_between_runs(all), 0.0085);
}

}  // namespace
}  // namespace assay::comparison
