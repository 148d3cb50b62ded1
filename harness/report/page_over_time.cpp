// Trends, saved failures and what got worse, for report.html.
#include "harness/report/page_over_time.h"

#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "harness/report/page_number.h"

namespace assay {
namespace {

using nlohmann::json;

constexpr size_t kWorseOthersMax = 50;  // of a group's further subjects

json worse_of(const std::vector<WorseView>& lines) {
  json groups = json::array();
  std::map<std::tuple<std::string, std::string, std::string>, size_t> group_of;
  for (const WorseView& line : lines) {
    const auto [at, added] = group_of.emplace(std::tuple(line.change, line.variant, line.metric), groups.size());
    if (added) {
      groups.push_back({{"change", line.change},
                        {"variant", line.variant},
                        {"metric", line.metric},
                        {"device", line.device},
                        {"subject", line.subject},
                        {"values", line.values},
                        {"effect", line.effect},
                        {"why", line.why},
                        {"again", line.again},
                        {"base", line.base},
                        {"count", 1},
                        {"others", json::array()}});
      continue;
    }
    json& group = groups[at->second];
    group["count"] = group["count"].get<int64_t>() + 1;
    if (group["others"].size() < kWorseOthersMax)
      group["others"].push_back(line.effect.empty() ? line.subject : line.effect + "  " + line.subject);
  }
  return groups;
}

json trend_of(const TrendView& trend) {
  json points = json::array();
  for (const TrendPoint& point : trend.points) points.push_back({point.started, point.commit, number(point.value, 6)});
  return {{"variant", trend.variant},
          {"subject", trend.subject},
          {"device", trend.device},
          {"gpu", trend.gpu},
          {"metric", trend.metric},
          {"unit", trend.unit},
          {"direction", trend.direction},
          {"changed_at", trend.changed_at},
          {"before", number(trend.before, 4)},
          {"after", number(trend.after, 4)},
          {"points", points}};
}

}  // namespace

json over_time_of(const OverTime& over_time) {
  json trends = json::array(), saved = json::array();
  for (const TrendView& trend : over_time.trends) trends.push_back(trend_of(trend));
  for (const SavedView& each : over_time.saved)
    saved.push_back({{"path", each.path},
                     {"line", each.line},
                     {"verdict", each.verdict},
                     {"since", each.since},
                     {"commit", each.commit}});
  return {{"worse", worse_of(over_time.worse)}, {"trends", trends}, {"saved", saved}};
}

}  // namespace assay
