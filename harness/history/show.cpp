// Tables of runs, and series with their changes.
#include "harness/history/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/compare/show.h"
#include "harness/history/over_time.h"
#include "harness/report/layout.h"
#include "harness/report/text.h"

namespace assay::history {
namespace {

constexpr size_t kTableColumns = 84;  // below, a run takes two lines

std::string short_commit(const std::string& commit) {
  return commit.empty() ? "-" : comparison::plain(commit.substr(0, 12));
}

struct Marked {
  const Trend* trend;
  ChangePoint change;
  int direction;  // 1: worse, -1: better, 0: neither
};

// One of eight heights for each value, of the last `columns` values.
std::string spark_line(const Trend& trend, size_t columns) {
  static constexpr std::array<const char*, 8> kHeights{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const size_t begin = trend.points.size() - std::min(columns, trend.points.size());
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (size_t i = begin; i < trend.points.size(); ++i) {
    low = std::min(low, trend.points[i].value);
    high = std::max(high, trend.points[i].value);
  }
  std::string text;
  for (size_t i = begin; i < trend.points.size(); ++i) {
    const double height = high > low ? (trend.points[i].value - low) / (high - low) : 0;
    text += kHeights[static_cast<size_t>(std::clamp(height * 7.999, 0.0, 7.0))];
  }
  return text;
}

std::string figures(const Trend& trend, double before, double after) {
  comparison::Line line;
  line.unit = trend.unit;
  line.before = before;
  line.after = after;
  if (before > 0) line.ratio = after / before;
  const std::string change = comparison::change_text(line);
  return (change.empty() ? "" : change + "  ") + comparison::values_text(line);
}

std::string title(const Trend& trend) {
  std::string text =
      comparison::plain(trend.variant + "  " + trend.metric + "  on " + (trend.device.empty() ? "?" : trend.device));
  return trend.gpu.empty() ? text : text + ", " + comparison::plain(trend.gpu);
}

std::string mark_text(const Marked& mark, const Terminal& terminal) {
  const Trend& trend = *mark.trend;
  const TrendPoint& point = trend.points[mark.change.index];
  const std::string verdict = mark.direction > 0 ? "WORSE" : mark.direction < 0 ? "BETTER" : "OTHER";
  const Tone tone = mark.direction > 0 ? Tone::bad : mark.direction < 0 ? Tone::good : Tone::idle;
  std::string text = terminal.in(tone, verdict) + "\n" + wrapped(title(trend), 2, terminal.columns);
  text += wrapped(fmt::format("{}  since commit {}, {}", figures(trend, mark.change.before, mark.change.after),
                              short_commit(point.commit), comparison::plain(point.started)),
                  2, terminal.columns);
  text += "  " + spark_line(trend, terminal.columns - 2) + "\n";
  if (trend.subject != trend.variant) text += "    " + comparison::plain(trend.subject) + "\n";
  return text;
}

}  // namespace

std::string runs_text(const std::vector<RunEntry>& runs, size_t last, const Terminal& terminal) {
  const size_t begin = last == 0 || last >= runs.size() ? 0 : runs.size() - last;
  std::string text = begin > 0 ? fmt::format("({} earlier runs)\n", begin) : "";
  const bool wide = terminal.columns >= kTableColumns;
  if (wide)
    text += fmt::format("{:>5}  {:<20}  {:<12}  {:<10}  {:>8}  {:>7}  {}\n", "run", "started", "commit", "suite",
                        "values", "failing", "device");
  for (size_t i = begin; i < runs.size(); ++i) {
    const RunEntry& run = runs[i];
    std::string device = comparison::plain(run.gpu.empty() ? run.device : run.device + ", " + run.gpu);
    if (run.status != "complete") device += " (" + comparison::plain(run.status) + ")";
    if (wide) {
      text += cut(fmt::format("{:>5}  {:<20}  {:<12}  {:<10}  {:>8}  {:>7}  {}", run.id,
                              cut(comparison::plain(run.started), 20), short_commit(run.commit),
                              cut(comparison::plain(run.suite), 10), run.values, run.failing, device),
                  terminal.columns) +
              "\n";
    } else {
      text +=
          wrapped(fmt::format("{}: {}, commit {}", run.id, comparison::plain(run.started), short_commit(run.commit)), 0,
                  terminal.columns) +
          wrapped(fmt::format("{}, {} values, {} failing, {}", comparison::plain(run.suite), run.values, run.failing,
                              device),
                  2, terminal.columns);
    }
  }
  return text + plural(static_cast<int64_t>(runs.size()), "run") + "\n";
}

std::string campaign_text(const Campaign& campaign) {
  int64_t cases = 0, failing = 0;
  std::string text = fmt::format("{:<32} {:<6} {:>12} {:>8}\n", "op", "dtype", "cases", "failing");
  for (const Tally& tally : campaign.tallies) {
    text += fmt::format("{:<32} {:<6} {:>12} {:>8}\n", comparison::plain(tally.op), comparison::plain(tally.dtype),
                        grouped(tally.cases), tally.failing > 0 ? grouped(tally.failing) : "-");
    cases += tally.cases, failing += tally.failing;
  }
  text += fmt::format("{} in {}, from {} to {}; {} failing", grouped(cases) + (cases == 1 ? " case" : " cases"),
                      plural(campaign.days, "day"), comparison::plain(campaign.first), comparison::plain(campaign.last),
                      failing == 0 ? "none" : grouped(failing));
  // With no event in n trials, its probability is below 3/n with a confidence of 95 % (Hanley and Lippman-Hand 1983).
  if (failing == 0 && cases >= 3) text += fmt::format(": fewer than 1 in {} with 95 % confidence", grouped(cases / 3));
  return text + "\n";
}

std::string trends_text(const std::vector<Trend>& trends, bool all, const Terminal& terminal) {
  std::vector<Marked> marks;
  std::string level_text;
  size_t level = 0;
  for (const Trend& trend : trends) {
    const std::vector<ChangePoint> changes = changes_of(trend, trend.points.size());
    for (const ChangePoint& change : changes) marks.push_back({&trend, change, direction_of(trend.better, change)});
    if (!changes.empty() || trend.points.empty()) continue;
    ++level;
    if (!all) continue;
    const double value = trend.points.back().value;
    level_text += wrapped(title(trend), 0, terminal.columns) +
                  wrapped(fmt::format("{} in {}", figures(trend, value, value),
                                      plural(static_cast<int64_t>(trend.points.size()), "run")),
                          2, terminal.columns) +
                  "  " + spark_line(trend, terminal.columns - 2) + "\n";
    if (trend.subject != trend.variant) level_text += "    " + comparison::plain(trend.subject) + "\n";
  }
  std::ranges::stable_sort(marks, [](const Marked& a, const Marked& b) {
    if (a.direction != b.direction) return a.direction > b.direction;
    return a.trend->points[a.change.index].started > b.trend->points[b.change.index].started;
  });
  std::string text;
  for (const Marked& mark : marks) text += mark_text(mark, terminal);
  const auto count = [&](int direction) {
    return std::ranges::count_if(marks, [&](const Marked& mark) { return mark.direction == direction; });
  };
  return text + level_text +
         fmt::format("{} series: {} changes for the worse, {} for the better, {} others; {} series are level\n",
                     trends.size(), count(1), count(-1), count(0), level);
}

}  // namespace assay::history
