// Runs the reference of each case with a watcher, and compares what it saw with what is due.
#include "harness/search/range_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "harness/base/interrupt.h"
#include "harness/search/generate.h"

namespace assay {
namespace {

template <class F>
void for_each_interval(const OpRanges& ranges, F f) {
  for (size_t d = 0; d < ranges.by_dtype.size(); ++d)
    for (int i = 0; i < kWatched; ++i) {
      const auto what = static_cast<Watched>(i);
      const auto& intervals = intervals_of(what, ranges.op->dtypes[d]);
      for (size_t interval = 0; interval < intervals.size(); ++interval) f(d, what, interval, intervals[interval].name);
    }
}

bool is_named(const OutOfReach& reason, Watched what, std::string_view interval) {
  return reason.function == name(what) && reason.interval == interval;
}

}  // namespace

OpRanges ranges_of(const Contract& op, const SuiteCounts& counts, uint64_t seed, int64_t cases) {
  OpRanges ranges{&op, {}};
  const Variant variant = any_variant(op);
  const GenerateLimits limits{.elements_max = counts.elements_max, .flops_max = counts.flops_max};
  for (const DType dtype : op.dtypes) {
    Ranges seen(dtype);
    for (int64_t i = 0; i < cases && !interrupted_flag(); ++i) {
      const Case c = generate_case(op, variant, dtype, seed, i, limits);
      const Tensors given = make_tensors(op, c);
      const WatchCase watching(seen);
      op.reference.tracked(c, given);
    }
    ranges.by_dtype.push_back(std::move(seen));
  }
  return ranges;
}

bool is_due(const OpRanges& ranges, size_t dtype, Watched what, size_t interval) {
  return ranges.op->steps.empty() &&
         is_due(intervals_of(what, ranges.op->dtypes[dtype]), interval, ranges.by_dtype[dtype].of(what));
}

bool is_missed(const OpRanges& ranges, size_t dtype, Watched what, size_t interval) {
  return is_due(ranges, dtype, what, interval) && ranges.by_dtype[dtype].of(what).cases[interval] == 0;
}

const OutOfReach* why_out_of_reach(const Contract& op, Watched what, std::string_view interval) {
  const auto found =
      std::ranges::find_if(op.out_of_reach, [&](const OutOfReach& each) { return is_named(each, what, interval); });
  return found == op.out_of_reach.end() ? nullptr : &*found;
}

RangeTotals totals_of(const std::vector<OpRanges>& ops) {
  RangeTotals totals;
  for (const OpRanges& ranges : ops) {
    std::set<Watched> called;
    for_each_interval(ranges, [&](size_t d, Watched what, size_t interval, std::string_view name) {
      if (ranges.by_dtype[d].of(what).was_called()) called.insert(what);
      if (!is_due(ranges, d, what, interval)) return;
      const bool missed = is_missed(ranges, d, what, interval);
      ++totals.due;
      totals.reached += !missed;
      totals.out_of_reach += missed && why_out_of_reach(*ranges.op, what, name);
    });
    totals.functions += std::ssize(called);
  }
  return totals;
}

std::vector<std::string> mistakes_of_ranges(const OpRanges& ranges) {
  std::vector<std::string> mistakes;
  std::vector<const OutOfReach*> needed;
  for_each_interval(ranges, [&](size_t d, Watched what, size_t interval, std::string_view called) {
    if (!is_missed(ranges, d, what, interval)) return;
    if (const OutOfReach* why = why_out_of_reach(*ranges.op, what, called)) return needed.push_back(why);
    mistakes.push_back(fmt::format("{} {}, {} ({}): no case has '{}'", ranges.op->name, name(ranges.op->dtypes[d]),
                                   name(what), meaning(what), called));
  });
  for (const OutOfReach& reason : ranges.op->out_of_reach)
    if (std::ranges::find(needed, &reason) == needed.end())
      mistakes.push_back(fmt::format("{}, {}: '{}' is not missed, so no reason for it belongs into the contract",
                                     ranges.op->name, reason.function, reason.interval));
  return mistakes;
}

}  // namespace assay
