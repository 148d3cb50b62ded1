// One row for each op and function; the counts of its dtypes stand beside each other.
#include "harness/cli/range_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace assay {
namespace {

struct RangeRow {
  std::string op, function, from, to, reached;
};

struct RangeTotals {
  int64_t functions = 0, due = 0, reached = 0, excused = 0;
};

std::string numbers_by_dtype(const OpRanges& ranges, Watched what, std::string_view interval) {
  std::vector<std::string> counts;
  for (size_t d = 0; d < ranges.by_dtype.size(); ++d) {
    const auto& intervals = intervals_of(what, ranges.op->dtypes[d]);
    const auto found = std::ranges::find(intervals, interval, &Interval::name);
    const auto& cases = ranges.by_dtype[d].of(what).cases;
    counts.push_back(
        found == intervals.end() ? "-" : fmt::format("{}", cases[static_cast<size_t>(found - intervals.begin())]));
  }
  return fmt::format("{}", fmt::join(counts, "/"));
}

// The names of all intervals that some dtype has, in order.
std::vector<std::string_view> names_of_intervals(const OpRanges& ranges, Watched what) {
  std::vector<std::string_view> names;
  for (const DType dtype : ranges.op->dtypes)
    if (intervals_of(what, dtype).size() > names.size()) {
      names.clear();
      for (const Interval& each : intervals_of(what, dtype)) names.push_back(each.name);
    }
  for (const DType dtype : ranges.op->dtypes)
    for (const Interval& each : intervals_of(what, dtype))
      if (std::ranges::find(names, each.name) == names.end()) names.push_back(each.name);
  return names;
}

bool is_missed_somewhere(const OpRanges& ranges, Watched what, std::string_view interval) {
  for (size_t d = 0; d < ranges.by_dtype.size(); ++d) {
    const auto& intervals = intervals_of(what, ranges.op->dtypes[d]);
    for (size_t i = 0; i < intervals.size(); ++i)
      if (intervals[i].name == interval && is_missed(ranges, d, what, i)) return true;
  }
  return false;
}

std::string reached_text(const OpRanges& ranges, Watched what) {
  std::vector<std::string> words;
  for (const std::string_view interval : names_of_intervals(ranges, what)) {
    words.push_back(fmt::format("{} {}", interval, numbers_by_dtype(ranges, what, interval)));
    if (!is_missed_somewhere(ranges, what, interval)) continue;
    const OutOfReach* why = why_out_of_reach(*ranges.op, what, interval);
    words.back() += why ? " (" + why->why + ")" : " MISSED";
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::vector<RangeRow> rows_of(const OpRanges& ranges) {
  std::vector<RangeRow> rows;
  for (int i = 0; i < kWatched; ++i) {
    const auto what = static_cast<Watched>(i);
    Range whole;
    for (const Ranges& each : ranges.by_dtype) {
      whole.least = std::min(whole.least, each.of(what).least);
      whole.largest = std::max(whole.largest, each.of(what).largest);
    }
    if (whole.was_called())
      rows.push_back({ranges.op->name, std::string(meaning(what)), fmt::format("{:.4g}", whole.least),
                      fmt::format("{:.4g}", whole.largest), reached_text(ranges, what)});
  }
  return rows;
}

RangeTotals totals_of(const std::vector<OpRanges>& all) {
  RangeTotals totals;
  for (const OpRanges& ranges : all)
    for (int i = 0; i < kWatched; ++i) {
      const auto what = static_cast<Watched>(i);
      totals.functions +=
          std::ranges::any_of(ranges.by_dtype, [&](const Ranges& each) { return each.of(what).was_called(); });
      for (size_t d = 0; d < ranges.by_dtype.size(); ++d) {
        const auto& intervals = intervals_of(what, ranges.op->dtypes[d]);
        for (size_t interval = 0; interval < intervals.size(); ++interval) {
          if (!ranges.op->steps.empty() || !is_due(intervals, interval, ranges.by_dtype[d].of(what))) continue;
          const bool missed = is_missed(ranges, d, what, interval);
          ++totals.due;
          totals.reached += !missed;
          totals.excused += missed && why_out_of_reach(*ranges.op, what, intervals[interval].name);
        }
      }
    }
  return totals;
}

std::string totals_text(const std::vector<OpRanges>& ranges) {
  const RangeTotals totals = totals_of(ranges);
  return fmt::format(
      "{} functions of {} ops; of {} intervals of a dtype that are due, {} are reached, {} are out of "
      "reach by their contract, {} are missed",
      totals.functions, ranges.size(), totals.due, totals.reached, totals.excused,
      totals.due - totals.reached - totals.excused);
}

constexpr const char* kRangeHead = R"(# What the data reach

Written by `{} --markdown FILE`: a row for each op and function
of its reference, over {} random cases of each dtype of the op under seed {}, as the suite `{}` limits them. No kernel
runs. The counts are cases in which some argument lay in the interval, by dtype (f32/bf16/f16, or f32 alone; `-`: the
dtype has no such interval). `assay sharpness --help` says what the functions are.

{}.

| op | function | from | to | intervals, and the cases that reach them |
|---|---|---|---|---|
)";

}  // namespace

std::string range_table(const std::vector<OpRanges>& ranges) {
  std::string text;
  for (const OpRanges& op : ranges)
    for (const RangeRow& row : rows_of(op))
      text += fmt::format("{:<31} {:<37} {:>10} to {:<10} {}\n", row.op, row.function, row.from, row.to, row.reached);
  return text + totals_text(ranges) + "\n";
}

std::string range_page(const std::vector<OpRanges>& ranges, const SharpnessArguments& arguments) {
  std::string command = "assay sharpness --ranges";
  for (const std::string& word : arguments.select) command += " '" + word + "'";
  std::string text =
      fmt::format(kRangeHead, command, arguments.cases, arguments.seed, arguments.suite, totals_text(ranges));
  for (const OpRanges& op : ranges)
    for (const RangeRow& row : rows_of(op))
      text += fmt::format("| {} | {} | {} | {} | {} |\n", row.op, row.function, row.from, row.to, row.reached);
  return text;
}

}  // namespace assay
