// Intervals are a partition of all numbers, and the arguments of Tracked's functions are counted in theirs.
#include "harness/op/ranges.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/op/sum.h"
#include "harness/op/tracked.h"

namespace assay {
namespace {

using testing::ElementsAre;

constexpr DType kRangeDTypes[] = {DType::f32, DType::bf16, DType::f16};

template <class F>
Ranges ranges_while(DType dtype, F f) {
  Ranges ranges(dtype);
  const WatchCase watching(ranges);
  f();
  return ranges;
}

std::vector<int64_t> cases_of(Watched what, const std::vector<double>& numbers, DType dtype = DType::f32) {
  Ranges ranges(dtype);
  for (const double number : numbers) ranges.add(what, number);
  ranges.end_case();
  return ranges.of(what).cases;
}

TEST(Intervals, AreAscendingNamedOnceAndWithoutAnEnd) {
  for (int i = 0; i < kWatched; ++i)
    for (const DType dtype : kRangeDTypes) {
      const auto what = static_cast<Watched>(i);
      const auto& intervals = intervals_of(what, dtype);
      SCOPED_TRACE(name(what));
      EXPECT_FALSE(name(what).empty() || meaning(what).empty());
      EXPECT_TRUE(std::isinf(intervals.back().end));
      EXPECT_TRUE(std::ranges::is_sorted(intervals, std::less_equal<>(), &Interval::end));
      EXPECT_NE(intervals.front().due, Due::after_previous);
      EXPECT_NE(intervals.back().due, Due::after_next);
      std::set<std::string_view> names;
      for (const Interval& each : intervals) EXPECT_TRUE(names.insert(each.name).second) << each.name;
    }
}

// The thresholds are where the functions of the formats do what the intervals' names say.
TEST(Intervals, OfExponentialsAreThoseOfF32) {
  EXPECT_TRUE(std::isinf(std::exp(88.73f)) && !std::isinf(std::exp(88.72f)));
  EXPECT_TRUE(std::exp(-103.98f) == 0 && std::exp(-103.97f) > 0);
  EXPECT_TRUE(std::exp(-87.34f) < 0x1p-126f && std::exp(-87.33f) >= 0x1p-126f);
  EXPECT_TRUE(std::isinf(std::exp(2 * 44.37f)) && !std::isinf(std::exp(2 * 44.35f)));
  EXPECT_TRUE(1 - 1 / (1 + std::exp(-17.4f)) == 0 && 1 + std::exp(-16.5f) > 1);
  EXPECT_TRUE(std::tanh(9.02f) == 1 && std::erf(3.93f) == 1 && std::erf(3.8f) < 1);
  EXPECT_THAT(cases_of(Watched::maximum, {-104, 0, 89}), ElementsAre(1, 1, 1));
  EXPECT_THAT(cases_of(Watched::maximum, {-18, 12}, DType::f16), ElementsAre(0, 1, 0, 1, 0));
}

TEST(Ranges, CountCasesAndNotNumbers) {
  Ranges ranges(DType::f32);
  for (const std::vector<double>& numbers : {std::vector<double>{1, 2, 100}, {3}, {NAN, INFINITY}}) {
    for (const double number : numbers) ranges.add(Watched::maximum, number);
    ranges.end_case();
  }
  EXPECT_THAT(ranges.of(Watched::maximum).cases, ElementsAre(0, 2, 1));
  EXPECT_EQ(ranges.of(Watched::maximum).least, 1);
  EXPECT_EQ(ranges.of(Watched::maximum).largest, 100);
  EXPECT_FALSE(ranges.of(Watched::tanh).was_called());
}

TEST(Ranges, AskForWhatLiesBeyondOnlyWhereDataComeNear) {
  const auto due = [](std::vector<double> numbers, int cases = 3) {
    Ranges ranges(DType::f32);
    for (int i = 0; i < cases; ++i) {
      for (const double number : numbers) ranges.add(Watched::exponent, number);
      ranges.end_case();
    }
    std::vector<std::string_view> names;
    const auto& intervals = intervals_of(Watched::exponent, DType::f32);
    for (size_t i = 0; i < intervals.size(); ++i)
      if (is_due(intervals, i, ranges.of(Watched::exponent))) names.push_back(intervals[i].name);
    return names;
  };
  EXPECT_THAT(due({}), ElementsAre());
  EXPECT_THAT(due({-1}), ElementsAre("exp is 0", "subnormal", "ordinary"));
  EXPECT_THAT(due({-1, 5}), ElementsAre("exp is 0", "subnormal", "ordinary", "overflows"));
  EXPECT_THAT(due({-1, 5}, 2), ElementsAre("exp is 0", "subnormal", "ordinary")) << "by chance";
}

TEST(Watcher, SeesWhatTrackedComputesWithWhileItLives) {
  const Ranges ranges = ranges_while(DType::f32, [] {
    exp(Tracked(-2));
    log(Tracked(1));
    sin(Tracked(-4));
    plus_eps(Tracked(3), Tracked(2));
    Tracked(1) / (Tracked(1) / Tracked(8));  // the first divisor was computed, the second given
    Sum<Tracked> sum;
    sum.add(Tracked(3));
    sum.add(Tracked(-1));
    sum.value();
  });
  exp(Tracked(-200));  // unseen
  EXPECT_EQ(ranges.of(Watched::exponent).least, -2);
  EXPECT_EQ(ranges.of(Watched::logarithm).largest, 1);
  EXPECT_EQ(ranges.of(Watched::angle).largest, 4);
  EXPECT_EQ(ranges.of(Watched::above_eps).largest, 1.5);
  EXPECT_EQ(ranges.of(Watched::divisor).least, 0.125);
  EXPECT_EQ(ranges.of(Watched::divisor).largest, 0.125);
  EXPECT_EQ(ranges.of(Watched::sum_terms).least, 2);
  EXPECT_EQ(ranges.of(Watched::sum_size).least, 4);
  EXPECT_EQ(ranges.of(Watched::sum_left).least, 0.5);
  EXPECT_EQ(Watcher::current(), nullptr);
}

}  // namespace
}  // namespace assay
