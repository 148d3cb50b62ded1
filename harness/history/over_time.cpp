// Which series changed, and since when.
#include "harness/history/over_time.h"

#include <algorithm>

#include "harness/history/values.h"

namespace assay::history {
namespace {

// A run without a failing case among those of a longer series of failures ends that series.
size_t first_failing(const std::vector<TrendPoint>& points) {
  size_t first = points.size();
  while (first > 0 && points[first - 1].value > 0) --first;
  return first;
}

auto first_of_last(const Trend& trend, size_t last) {
  return trend.points.end() - static_cast<std::ptrdiff_t>(std::min(last, trend.points.size()));
}

int rank(const TrendView& view) { return view.direction > 0 ? 0 : view.direction < 0 ? 1 : 2; }

}  // namespace

std::vector<ChangePoint> changes_of(const Trend& trend, size_t last) {
  std::vector<double> values;
  for (auto point = first_of_last(trend, last); point != trend.points.end(); ++point) values.push_back(point->value);
  return trend.exact ? exact_change_points(values) : change_points(values);
}

int direction_of(Better better, const ChangePoint& change) {
  if (better == Better::neither || change.after == change.before) return 0;
  return (change.after > change.before) == (better == Better::lower) ? 1 : -1;
}

std::vector<TrendView> trend_views(const std::vector<Trend>& trends) {
  std::vector<TrendView> views;
  for (const Trend& trend : trends) {
    if (trend.points.size() < 2) continue;
    TrendView view{.variant = trend.variant,
                   .subject = trend.subject,
                   .device = trend.device,
                   .gpu = trend.gpu,
                   .metric = trend.metric,
                   .unit = trend.unit,
                   .better = trend.better,
                   .points = {}};
    view.points.assign(first_of_last(trend, kPointsMax), trend.points.end());
    const auto changes = changes_of(trend, kPointsMax);
    if (!changes.empty()) {
      view.changed_at = static_cast<int>(changes.back().index);
      view.before = changes.back().before;
      view.after = changes.back().after;
      view.direction = direction_of(trend.better, changes.back());
    }
    views.push_back(std::move(view));
  }
  std::ranges::stable_sort(views, [](const TrendView& a, const TrendView& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return rank(a) < 2 &&
           a.points[static_cast<size_t>(a.changed_at)].started > b.points[static_cast<size_t>(b.changed_at)].started;
  });
  if (views.size() > kTrendsMax) views.resize(kTrendsMax);
  return views;
}

bool failing_since(const std::vector<Trend>& trends, const std::string& variant, TrendPoint& since) {
  bool known = false;
  for (const Trend& trend : trends) {
    if (trend.variant != variant || trend.metric != kFailing) continue;
    const size_t first = first_failing(trend.points);
    if (first == trend.points.size()) continue;
    const TrendPoint& point = trend.points[first];
    if (known && since.started <= point.started) continue;
    since = point;
    known = true;
  }
  return known;
}

}  // namespace assay::history
