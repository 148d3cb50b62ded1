// One row for each op and function; the counts of its dtypes stand beside each other.
#include "harness/cli/range_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

namespace assay {
namespace {

struct RangeRow {
  std::string op, function, from, to, reached;
};

// One interval in all dtypes of an op.
struct RangeCell {
  std::vector<std::string> counts;  // of cases, by dtype
  bool reached = false, due = false, missed = false;
};

RangeCell cell_of(const OpRanges& ranges, Watched what, std::string_view interval) {
  RangeCell cell;
  for (size_t d = 0; d < ranges.by_dtype.size(); ++d) {
    const auto& intervals = intervals_of(what, ranges.op->dtypes[d]);
    const auto i = static_cast<size_t>(std::ranges::find(intervals, interval, &Interval::name) - intervals.begin());
    if (i == intervals.size()) {
      cell.counts.emplace_back("-");
      continue;
    }
    const int64_t cases = ranges.by_dtype[d].of(what).cases[i];
    cell.counts.push_back(fmt::format("{}", cases));
    cell.reached |= cases > 0;
    cell.due |= is_due(ranges, d, what, i);
    cell.missed |= is_missed(ranges, d, what, i);
  }
  return cell;
}

// The intervals that are reached or due; of an op of ops, all.
std::string reached_text(const OpRanges& ranges, Watched what) {
  const auto with_most =
      std::ranges::max(ranges.op->dtypes, std::less<>(), [&](DType dtype) { return intervals_of(what, dtype).size(); });
  std::vector<std::string> words;
  for (const Interval& interval : intervals_of(what, with_most)) {
    const RangeCell cell = cell_of(ranges, what, interval.name);
    if (!cell.reached && !cell.due && ranges.op->steps.empty()) continue;
    words.push_back(fmt::format("{} {}", interval.name, fmt::join(cell.counts, "/")));
    if (!cell.missed) continue;
    const OutOfReach* why = why_out_of_reach(*ranges.op, what, interval.name);
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

std::string totals_text(const std::vector<OpRanges>& ranges) {
  const RangeTotals totals = totals_of(ranges);
  return fmt::format(
      "{} functions of {} ops; of {} intervals that are due in a dtype, {} are reached, {} out of reach "
      "by their contract, {} missed",
      totals.functions, ranges.size(), totals.due, totals.reached, totals.out_of_reach, totals.missed());
}

constexpr const char* kRangeHead = R"(# The ranges that the data reach

Written by `{} --markdown FILE`: a row for each op and function
of its reference, over {} random cases of each dtype of the op under seed {}, as the suite `{}` limits them. No kernel
runs. The counts are cases in which some argument lay in the interval, by dtype (f32/bf16/f16, or f32 alone; `-`: the
dtype has no such interval). Where nothing is due, the count may be 0: data of an op of ops come from its steps.

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
