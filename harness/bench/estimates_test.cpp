// Figures of recorded series, worked out by hand or from tables, and laws that hold for every series.
#include "harness/bench/estimates.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
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
  EXPECT_THAT(noise({}), IsNan());
  EXPECT_THAT(noise({5, 5}), IsNan());
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

TEST(Ratio, OfSteadySeriesIsExact) {
  const Ratio ratio = ratio_of_medians(samples_of(std::vector<double>(12, 30)), samples_of(std::vector<double>(12, 20)),
                                       /*seed=*/1);
  EXPECT_EQ(ratio.value, 1.5);
  EXPECT_EQ(ratio.interval.low, 1.5);
  EXPECT_EQ(ratio.interval.high, 1.5);
}

// Both become slower together, by half, over the run. Apart, their medians are known to some 10 % only.
TEST(Ratio, ADriftOfBothDoesNotWidenIt) {
  std::vector<double> a, b;
  for (int i = 0; i < 40; ++i) {
    const double drift = 1 + i / 80.0;
    a.push_back(20 * drift);
    b.push_back(10 * drift);
  }
  EXPECT_GT(noise(a), 0.05);
  const Ratio ratio = ratio_of_medians(samples_of(a), samples_of(b), /*seed=*/1);
  EXPECT_DOUBLE_EQ(ratio.value, 2);
  EXPECT_NEAR(ratio.interval.low, 2, 1e-12);
  EXPECT_NEAR(ratio.interval.high, 2, 1e-12);
}

// Ten blocks of equal pairs: the numerator's are 1 … 10, the denominator's 1. The median of ten draws from 1 … 10.
TEST(Ratio, IntervalOfARecordedSeries) {
  std::vector<double> a;
  for (int i = 0; i < 20; ++i) a.push_back(1 + i / 2);
  const Ratio ratio = ratio_of_medians(samples_of(a), samples_of(std::vector<double>(20, 1)), /*seed=*/1);
  EXPECT_EQ(ratio.value, 5.5);
  // Exactly, that median is at most 2.5 in 1.95 % of all draws and at most 3 in 5.47 %; likewise from the other end.
  EXPECT_EQ(ratio.interval.low, 3);
  EXPECT_EQ(ratio.interval.high, 8);
}

TEST(Ratio, BlocksWithoutASampleOfBothTakeNoPart) {
  auto a = samples_of(std::vector<double>(14, 10));
  auto b = samples_of(std::vector<double>(14, 10));
  a[12].discarded = a[13].discarded = true;  // six blocks are left
  b[12].us = b[13].us = 999;
  EXPECT_EQ(ratio_of_medians(a, b, 1).interval.high, 1);
  b[0].discarded = b[1].discarded = true;  // five
  EXPECT_THAT(ratio_of_medians(a, b, 1).interval.high, IsNan());
}

TEST(Ratio, IsNanWithoutSamples) {
  auto discarded = samples_of(std::vector<double>(20, 10));
  for (TimingSample& sample : discarded) sample.discarded = true;
  const auto good = samples_of(std::vector<double>(20, 10));
  for (const auto& [a, b] : {std::pair{discarded, good}, {good, discarded}, {{}, {}}, {good, {}}}) {
    EXPECT_THAT(ratio_of_medians(a, b, 1).value, IsNan());
    EXPECT_THAT(ratio_of_medians(a, b, 1).interval.low, IsNan());
  }
  EXPECT_EQ(ratio_of_medians(samples_of({6, 6}), samples_of({3, 3}), 1).value, 2) << "one block: a value";
  EXPECT_THAT(ratio_of_medians(samples_of({6, 6}), samples_of({3, 3}), 1).interval.low, IsNan()) << "but no interval";
}

TEST(Ratio, IsNanForATimeOfNanOrZero) {
  auto broken = samples_of(std::vector<double>(20, 10));
  broken[3].us = kNan;
  const auto good = samples_of(std::vector<double>(20, 10));
  EXPECT_THAT(ratio_of_medians(broken, good, 1).value, IsNan());
  EXPECT_THAT(ratio_of_medians(good, broken, 1).interval.low, IsNan());
  const auto zero = samples_of(std::vector<double>(20, 0));
  EXPECT_THAT(ratio_of_medians(good, zero, 1).value, IsNan());
  EXPECT_THAT(ratio_of_medians(good, zero, 1).interval.low, IsNan());
}

struct Pair {
  std::vector<double> a, b;
};

Pair any_pair() {
  auto a = *times(12);
  auto b = *times(12);
  const size_t n = std::min(a.size(), b.size());
  a.resize(n);
  b.resize(n);
  return {a, b};
}

RC_GTEST_PROP(Ratio, ScalesWithTheNumeratorAndNotWithTheUnit, ()) {
  const Pair pair = any_pair();
  auto a4 = pair.a, b4 = pair.b;
  for (double& us : a4) us *= 4;  // a power of two keeps every rounding
  for (double& us : b4) us *= 4;
  const Ratio plain = ratio_of_medians(samples_of(pair.a), samples_of(pair.b), 7);
  const Ratio scaled = ratio_of_medians(samples_of(a4), samples_of(pair.b), 7);
  const Ratio both = ratio_of_medians(samples_of(a4), samples_of(b4), 7);
  RC_ASSERT(scaled.value == 4 * plain.value);
  RC_ASSERT(scaled.interval.low == 4 * plain.interval.low);
  RC_ASSERT(scaled.interval.high == 4 * plain.interval.high);
  RC_ASSERT(both.value == plain.value);
  RC_ASSERT(both.interval.high == plain.interval.high);
}

RC_GTEST_PROP(Ratio, IsTheSameForTheSameSeedAndOrdered, ()) {
  const Pair pair = any_pair();
  const auto seed = *rc::gen::arbitrary<uint64_t>();
  const Ratio one = ratio_of_medians(samples_of(pair.a), samples_of(pair.b), seed);
  const Ratio two = ratio_of_medians(samples_of(pair.a), samples_of(pair.b), seed);
  RC_ASSERT(one.interval.low == two.interval.low);
  RC_ASSERT(one.interval.high == two.interval.high);
  RC_ASSERT(one.interval.low <= one.interval.high);
}

}  // namespace
}  // namespace assay::bench
