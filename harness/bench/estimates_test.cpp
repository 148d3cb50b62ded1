// Figures of recorded series, worked out by hand or from tables, and laws that hold for every series.
#include "harness/bench/estimates.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace assay::bench {
namespace {

using testing::ElementsAre;
using testing::IsNan;

constexpr double kNan = kNoTime;

std::vector<double> one_to(int n) {
  std::vector<double> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

std::vector<TimingSample> samples_of(const std::vector<double>& us, double mhz = 1000) {
  std::vector<TimingSample> samples;
  for (const double value : us) samples.push_back({value, mhz});
  return samples;
}

// Whole numbers of microseconds, so that sums and halves of them are exact.
rc::Gen<std::vector<double>> times(size_t at_least) {
  return rc::gen::suchThat(rc::gen::container<std::vector<double>>(
                               rc::gen::map(rc::gen::inRange(1, 1000), [](int us) { return static_cast<double>(us); })),
                           [=](const auto& values) { return values.size() >= at_least; });
}

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoMiddleOnes) {
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1}), 5);
  EXPECT_EQ(median({3, 9, 1}), 3);
  EXPECT_EQ(median({4, 1, 3, 100}), 3.5);
}

TEST(Median, OfNothingOrOfNanIsNan) {
  EXPECT_THAT(median({}), IsNan());
  EXPECT_THAT(median({1, kNan, 3}), IsNan());
}

RC_GTEST_PROP(Median, DoesNotDependOnTheOrder, ()) {
  auto values = *times(1);
  const double before = median(values);
  std::sort(values.begin(), values.end());
  RC_ASSERT(median(values) == before);
  std::reverse(values.begin(), values.end());
  RC_ASSERT(median(values) == before);
}

// Ranks as printed in tables of the sign test: Conover, Practical Nonparametric Statistics, table A3.
TEST(MedianInterval, HasTheRanksOfTheTables) {
  const struct {
    int n, low, high;
  } rows[] = {{6, 1, 6}, {8, 1, 8}, {9, 2, 8}, {10, 2, 9}, {20, 6, 15}, {25, 8, 18}, {100, 40, 61}, {1000, 469, 532}};
  for (const auto& row : rows) {
    const Interval interval = median_interval(one_to(row.n));
    EXPECT_EQ(interval.low, row.low) << row.n;
    EXPECT_EQ(interval.high, row.high) << row.n;
  }
}

TEST(MedianInterval, IsNoneBelowSixValuesAndForNan) {
  for (int n = 0; n < 6; ++n) {
    EXPECT_THAT(median_interval(one_to(n)).low, IsNan()) << n;
    EXPECT_THAT(median_interval(one_to(n)).high, IsNan()) << n;
  }
  EXPECT_THAT(median_interval({1, 2, 3, 4, 5, kNan, 7}).low, IsNan());
}

RC_GTEST_PROP(MedianInterval, HoldsTheMedian, ()) {
  const auto values = *times(6);
  const Interval interval = median_interval(values);
  RC_ASSERT(interval.low <= median(values));
  RC_ASSERT(median(values) <= interval.high);
}

TEST(Noise, IsHalfTheIntervalOverTheMedian) {
  EXPECT_DOUBLE_EQ(noise(one_to(20)), (15.0 - 6) / 2 / 10.5);
  EXPECT_EQ(noise(std::vector<double>(20, 33.0)), 0);
}

TEST(Noise, IsNanWithoutAnIntervalOrAMedianAboveZero) {
  EXPECT_THAT(noise(std::vector<double>{}), IsNan());
  EXPECT_THAT(noise(std::vector<double>{5, 5}), IsNan());
  EXPECT_THAT(noise(std::vector<double>(20, 0.0)), IsNan());
}

TEST(Throttled, IsBelowThreeQuartersOfTheDefaultClock) {
  EXPECT_TRUE(is_throttled({.us = 1, .sm_mhz = 1484}, 1980));
  EXPECT_FALSE(is_throttled({.us = 1, .sm_mhz = 1485}, 1980));
  EXPECT_FALSE(is_throttled({.us = 1, .sm_mhz = 0}, 1980)) << "an unknown clock is kept";
  EXPECT_FALSE(is_throttled({.us = 1, .sm_mhz = 100}, 0)) << "an unknown default clock throttles nothing";
}

TEST(Kept, LeavesOutDiscardedSamples) {
  auto samples = samples_of({3, 4, 5});
  samples[1].discarded = true;
  EXPECT_THAT(kept_us(samples), ElementsAre(3, 5));
}

TEST(MedianCycles, TakesEachSampleAtItsOwnClock) {
  std::vector<TimingSample> samples = {{10, 2000}, {20, 1000}, {30, 700}, {40, 0}, {9999, 1, true}};
  EXPECT_EQ(median_cycles(samples), 20000) << "an unknown clock and a discarded sample are left out";
  EXPECT_THAT(median_cycles({{10, 0}}), IsNan());
  EXPECT_THAT(median_cycles({}), IsNan());
}

// Samples of several processes, in their order.
std::vector<TimingSample> of_processes(const std::vector<std::vector<double>>& processes) {
  std::vector<TimingSample> samples;
  for (size_t p = 0; p < processes.size(); ++p)
    for (const double us : processes[p]) samples.push_back({us, 1000, false, static_cast<int>(p)});
  return samples;
}

// Logarithms -1, 0 and 1: a standard error of 1/sqrt(3), and t = 4.303 at two degrees of freedom.
TEST(OverProcesses, IsStudentsIntervalOfTheLogarithms) {
  const double e = std::exp(1.0);
  const Estimate estimate = over_processes({1, 1 / e, e});
  EXPECT_EQ(estimate.value, 1);
  EXPECT_NEAR(estimate.interval.high, std::exp(4.303 / std::sqrt(3.0)), 1e-9);
  EXPECT_NEAR(estimate.interval.low, std::exp(-4.303 / std::sqrt(3.0)), 1e-9);
}

TEST(OverProcesses, OneOrTwoGiveNoInterval) {
  EXPECT_THAT(over_processes({}).value, IsNan());
  for (const std::vector<double>& few : {std::vector<double>{5}, {5, 5}}) {
    EXPECT_EQ(over_processes(few).value, 5);
    EXPECT_THAT(over_processes(few).interval.low, IsNan());
    EXPECT_THAT(noise(over_processes(few)), IsNan());
  }
  EXPECT_DOUBLE_EQ(over_processes({5, 5, 5}).interval.high, 5);
}

TEST(OverProcesses, NanAndZeroGiveNothing) {
  EXPECT_THAT(over_processes({5, kNan, 5}).value, IsNan());
  EXPECT_THAT(over_processes({5, 0, 5}).value, IsNan());
  EXPECT_THAT(over_processes({5, 5, std::numeric_limits<double>::infinity()}).value, IsNan());
}

RC_GTEST_PROP(OverProcesses, HoldsItsValueAndScales, ()) {
  auto values = *times(3);
  values.resize(std::min<size_t>(values.size(), kProcessesMax));
  const Estimate plain = over_processes(values);
  RC_ASSERT(plain.interval.low <= plain.value && plain.value <= plain.interval.high);
  for (double& value : values) value *= 4;
  const Estimate scaled = over_processes(values);
  RC_ASSERT(scaled.value == 4 * plain.value);
  RC_ASSERT(std::fabs(scaled.interval.low / plain.interval.low - 4) < 1e-9);
}

TEST(TimeOverProcesses, CountsProcessesAndNotSamples) {
  const Estimate few = time_over_processes(of_processes({{10, 10}, {11, 11}, {12, 12}}));
  EXPECT_EQ(few.value, 11);
  const std::vector<double> a(500, 10), b(500, 11), c(500, 12);
  const Estimate many = time_over_processes(of_processes({a, b, c}));
  EXPECT_EQ(many.interval.high, few.interval.high) << "more samples of the same processes tell nothing new";
}

TEST(TimeOverProcesses, LeavesOutDiscardedSamples) {
  auto samples = of_processes({{10, 99}, {10}, {10}, {99}});
  samples[1].discarded = samples[4].discarded = true;
  EXPECT_EQ(processes_of(samples), 3U) << "nothing of the fourth is left";
  EXPECT_DOUBLE_EQ(time_over_processes(samples).interval.high, 10);
}

// Processes that differ by a fifth, and a ratio that is the same in each.
TEST(RatioOverProcesses, WhatHitsBothCancels) {
  const auto a = of_processes({{20, 21, 22}, {24, 25.2, 26.4}, {28, 29.4, 30.8}});
  const auto b = of_processes({{10, 10.5, 11}, {12, 12.6, 13.2}, {14, 14.7, 15.4}});
  EXPECT_GT(noise(time_over_processes(a)), 0.1);
  const Estimate ratio = ratio_over_processes(a, b);
  EXPECT_NEAR(ratio.value, 2, 1e-12);
  EXPECT_NEAR(ratio.interval.low, 2, 1e-9);
  EXPECT_NEAR(ratio.interval.high, 2, 1e-9);
}

TEST(RatioOverProcesses, TakesTheProcessesThatHaveBoth) {
  const auto a = of_processes({{20}, {20}, {20}, {500}});
  EXPECT_DOUBLE_EQ(ratio_over_processes(a, of_processes({{10}, {10}, {10}})).interval.high, 2);
  EXPECT_THAT(ratio_over_processes(a, of_processes({{10}, {10}})).interval.high, IsNan());
  EXPECT_THAT(ratio_over_processes(a, {}).value, IsNan());
}

}  // namespace
}  // namespace assay::bench
