// Adds the earlier runs to a report.
#include <map>

#include "harness/cli/report_run.h"
#include "harness/compare/show.h"
#include "harness/history/over_time.h"
#include "harness/op/registry.h"
#include "harness/search/regressions.h"

namespace assay {
namespace {

Result<void> add_worse(OverTime& over_time, const std::string& before, const std::string& after) {
  const auto base = ASSAY_TRY(comparison::read_measured(before)), now = ASSAY_TRY(comparison::read_measured(after));
  for (const comparison::Line& line : comparison::compare(base, now).lines) {
    if (line.change != comparison::Change::regressed && line.change != comparison::Change::missing) continue;
    over_time.worse.push_back({.change = std::string(name(line.change)),
                               .variant = line.variant,
                               .subject = line.subject,
                               .device = line.device,
                               .metric = line.metric,
                               .values = comparison::values_text(line),
                               .effect = comparison::change_text(line),
                               .why = line.why,
                               .again = line.again,
                               .base = comparison::run_text(base.path, base.info)});
  }
  return {};
}

// The worst that the run came to for each case line, on whatever device.
std::map<std::string, Kind> verdicts_of(const std::vector<ResultRow>& rows) {
  std::map<std::string, Kind> verdicts;
  for (const ResultRow& row : rows) {
    const auto [at, added] = verdicts.emplace(row.line(), row.verdict);
    if (!added && is_failure(row.verdict)) at->second = row.verdict;
  }
  return verdicts;
}

Result<void> add_saved(Report& report, const std::vector<std::string>& folders,
                       const std::vector<history::Trend>& trends) {
  const auto verdicts = verdicts_of(report.rows);
  for (const std::string& folder : folders) {
    const auto cases = ASSAY_TRY(read_regressions(folder));
    for (const SavedCase& saved : cases) {
      SavedView view{.path = saved.path, .line = saved.line, .verdict = "", .since = "", .commit = ""};
      if (const auto c = read_case(saved.line)) {
        const auto verdict = verdicts.find(print(*c));
        if (verdict != verdicts.end()) view.verdict = name(verdict->second);
        TrendPoint since;
        if (history::failing_since(trends, c->id(), since)) view.since = since.started, view.commit = since.commit;
      }
      report.over_time.saved.push_back(std::move(view));
    }
  }
  return {};
}

}  // namespace

Result<void> add_over_time(Report& report, const ReportArguments& arguments) {
  for (const auto& [before, after] : arguments.compared)
    ASSAY_TRY(add_worse(report.over_time, before, after.empty() ? arguments.runs.front() : after));
  std::vector<history::Trend> trends;
  if (!arguments.history.empty()) {
    const auto history = ASSAY_TRY(history::History::open(arguments.history, false));
    trends = ASSAY_TRY(history.trends("", ""));
    report.over_time.trends = history::trend_views(trends);
  }
  return add_saved(report, arguments.saved, trends);
}

}  // namespace assay
