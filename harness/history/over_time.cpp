// Which series changed, and since when.
#include "harness/history/over_time.h"

#include <algorithm>
#include <tuple>

#include "harness/history/change_points.h"
#include "harness/history/values.h"

namespace assay::history {
namespace {

// A run without a failing case among those of a longer series of failures ends that series.
size_t first_failing(const std::vector<Point>& points) {
  size_t first = points.size();
  while (first > 0 && points[first - 1].value > 0) --first;
  return first;
}

int direction_of(const Trend& trend, double before, double after) {
  if (trend.better == Better::neither || before == after) return 0;
  return (after > before) == (trend.better == Better::lower) ? 1 : -1;
}

int rank(const TrendView& view) { return view.direction > 0 ? 0 : view.direction < 0 ? 1 : 2; }

}  // namespace

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
    const size_t begin = trend.points.size() - std::min(kPointsMax, trend.points.size());
    std::vector<double> values;
    for (size_t i = begin; i < trend.points.size(); ++i) {
      const Point& point = trend.points[i];
      view.points.push_back({point.started, point.commit, point.value});
      values.push_back(point.value);
    }
    const auto changes = trend.exact ? exact_change_points(values) : change_points(values);
    if (!changes.empty()) {
      view.changed_at = static_cast<int>(changes.back().index);
      view.before = changes.back().before;
      view.after = changes.back().after;
      view.direction = direction_of(trend, view.before, view.after);
    }
    views.push_back(std::move(view));
  }
  std::stable_sort(views.begin(), views.end(), [](const TrendView& a, const TrendView& b) {
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
    const Point& point = trend.points[first];
    if (known && since.started <= point.started) continue;
    since = {point.started, point.commit, point.value};
    known = true;
  }
  return known;
}

}  // namespace assay::history
