// A history as a report shows it.
#pragma once

#include <string>
#include <vector>

#include "harness/history/change_points.h"
#include "harness/history/history.h"

namespace assay::history {

inline constexpr size_t kTrendsMax = 300;  // on a page; those that changed come first
inline constexpr size_t kPointsMax = 200;  // of a trend, the latest

// The changes of level among the latest points of a series, at most `last`.
std::vector<ChangePoint> changes_of(const Trend& trend, size_t last);
int direction_of(Better better, const ChangePoint& change);  // 1: worse, -1: better, 0: neither

// Every series with its last change of level (change_points.h), in the order of OverTime.
std::vector<TrendView> trend_views(const std::vector<Trend>& trends);

// Since when the history has seen cases of `variant` ("op/name") fail without a run in which none did; false where it
// does not know.
bool failing_since(const std::vector<Trend>& trends, const std::string& variant, TrendPoint& since);

}  // namespace assay::history
