// Tests the history in a report: what got worse comes first, with the commit since which it did.
#include "harness/history/over_time.h"

#include <gmock/gmock.h>

#include "harness/history/values.h"

namespace assay::history {
namespace {

Trend trend(const std::string& variant, const std::string& metric, const std::vector<double>& values,
            Better better = Better::lower) {
  Trend made{.variant = variant,
             .subject = variant,
             .device = "cpu",
             .gpu = "",
             .metric = metric,
             .unit = "",
             .better = better,
             .exact = true,
             .points = {}};
  for (size_t i = 0; i < values.size(); ++i)
    made.points.push_back({"2026-01-" + std::string(i < 9 ? "0" : "") + std::to_string(i + 1) + "T00:00:00Z",
                           "commit" + std::to_string(i + 1), values[i]});
  return made;
}

TEST(OverTime, WhatGotWorseLastComesFirst) {
  const auto views =
      trend_views({trend("op/level", "m", {4, 4, 4, 4}), trend("op/better", "m", {4, 4, 2, 2}),
                   trend("op/worse", "m", {4, 9, 9, 9}), trend("op/new", "m", {4}),
                   trend("op/later", "m", {4, 4, 4, 9}), trend("op/rate", "m", {9, 9, 4, 4}, Better::higher)});
  std::vector<std::string> order;
  for (const TrendView& view : views) order.push_back(view.variant + " " + std::to_string(view.direction));
  EXPECT_THAT(order, testing::ElementsAre("op/later 1", "op/rate 1", "op/worse 1", "op/better -1", "op/level 0"));
  EXPECT_EQ(views[0].points[static_cast<size_t>(views[0].changed_at)].commit, "commit4");
  EXPECT_EQ(views[0].before, 4);
  EXPECT_EQ(views[0].after, 9);
}

TEST(OverTime, AFailureIsAsOldAsItsLatestSeries) {
  TrendPoint since;
  EXPECT_TRUE(failing_since({trend("op/v", kFailing, {0, 3, 0, 2, 5})}, "op/v", since));
  EXPECT_EQ(since.commit, "commit4");
  EXPECT_FALSE(failing_since({trend("op/v", kFailing, {0, 3, 0})}, "op/v", since)) << "it passes now";
  EXPECT_FALSE(failing_since({trend("op/other", kFailing, {3, 3})}, "op/v", since));
  EXPECT_TRUE(failing_since({trend("op/v", kFailing, {0, 0, 1}), trend("op/v", kFailing, {0, 1, 1})}, "op/v", since));
  EXPECT_EQ(since.commit, "commit2") << "on the device where it failed first";
}

}  // namespace
}  // namespace assay::history
