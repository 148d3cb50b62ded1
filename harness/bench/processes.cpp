// Asking the processes, and putting together what they say.
#include "harness/bench/processes.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "harness/base/rng.h"
#include "harness/bench/estimates.h"
#include "harness/bench/figures.h"
#include "harness/op/composite.h"
#include "harness/op/registry.h"

namespace assay {
namespace {

// A candidate, and what the processes so far have said of it.
struct Joined {
  const Variant* variant;
  std::optional<ResultRow> row = {};  // of the first process, with the samples of all; or that of a failure
  uint64_t written = 0;
  bool out = false;  // it failed, or cannot take part
};

// Every sample of a process may be throttled, which is no failure of the candidate: its other processes count.
bool is_throttled(const ResultRow& row) { return row.verdict == Kind::skipped && row.timing.has_value(); }

void add_samples(const Timing& more, int process, Timing& timing) {
  for (TimingSample sample : more.samples) {
    sample.process = process;
    timing.samples.push_back(sample);
  }
  if (more.end != "noise") timing.end = more.end;
}

void take(MeasuredRow measured, int process, int processes, Joined& joined) {
  ResultRow& row = measured.row;
  const bool counts = row.verdict == Kind::pass || is_throttled(row);
  const bool first = !joined.row;
  if (!counts) {
    if (!first) row.detail = fmt::format("in process {} of {}: {}", process + 1, processes, row.detail);
    joined.row = std::move(row);
    joined.out = true;
    return;
  }
  if (first) {
    joined.row = std::move(row);
    joined.written = measured.written;
    for (TimingSample& sample : joined.row->timing->samples) sample.process = process;
    return;
  }
  if (is_deterministic(*joined.variant, row.c) && measured.written != joined.written) {
    joined.row->timing.reset();
    joined.row->decide(Kind::nondeterministic,
                       fmt::format("process {} of {} wrote other bits than the first, whose outputs were judged",
                                   process + 1, processes));
    joined.out = true;
    return;
  }
  add_samples(*row.timing, process, *joined.row->timing);
  joined.row->figures["seconds"] += row.figures["seconds"];
  if (row.verdict == Kind::pass) joined.row->verdict = Kind::pass;
}

using OpenContests = std::vector<std::vector<Joined*>>;  // by contest; one may be empty

// The contests that have candidates left, in an order that is drawn for the process; `of` says which they are.
std::vector<Contest> contests_of(const OpenContests& open, const std::vector<Contest>& all, uint64_t seed,
                                 std::vector<size_t>& of) {
  for (size_t i = 0; i < open.size(); ++i)
    if (!open[i].empty()) of.push_back(i);
  Rng rng = Rng::stream(seed, "order of cases");
  for (size_t i = of.size(); i > 1; --i) std::swap(of[i - 1], of[rng.below(i)]);
  std::vector<Contest> asked;
  for (const size_t i : of) {
    asked.push_back({all[i].c, {}});
    for (const Joined* joined : open[i]) asked.back().candidates.push_back(joined->variant);
  }
  return asked;
}

size_t count_of(const OpenContests& open) {
  size_t count = 0;
  for (const auto& contest : open) count += contest.size();
  return count;
}

// One process for all contests, and again without those that made it fail. False: it was stopped.
bool run_process(OpenContests open, const std::vector<Contest>& contests, const MeasureOptions& options, int process,
                 int processes, const MeasureOnce& once) {
  while (count_of(open) > 0) {
    std::vector<size_t> of;
    const std::vector<Contest> asked = contests_of(open, contests, options.seed, of);
    OfContests<MeasuredRow> rows = once(asked, options);
    if (rows.empty()) return false;
    OpenContests again(open.size());
    for (size_t k = 0; k < of.size(); ++k)
      for (size_t i = 0; i < rows[k].size(); ++i)
        if (rows[k][i].again) again[of[k]].push_back(open[of[k]][i]);
    const bool fewer = count_of(again) < count_of(open);  // else nobody would be left out of the next try
    for (size_t k = 0; k < of.size(); ++k)
      for (size_t i = 0; i < rows[k].size(); ++i)
        if (!rows[k][i].again || !fewer) take(std::move(rows[k][i]), process, processes, *open[of[k]][i]);
    if (!fewer) return true;
    open = std::move(again);
  }
  return true;
}

void add_figures(Joined& joined, const Roofs& roofs) {
  ResultRow& row = *joined.row;
  if (joined.out || row.verdict != Kind::pass) return;
  row.detail.clear();
  row.hints.clear();
  bench::add_figures(row, cost_of(*find_op(row.c.op), *joined.variant, row.c), roofs);
}

}  // namespace

OfContests<ResultRow> measure_in_processes(const std::vector<Contest>& contests, const Roofs& roofs,
                                           const MeasureOptions& options, int processes, const MeasureOnce& once) {
  OfContests<Joined> all(contests.size());
  for (size_t k = 0; k < contests.size(); ++k)
    for (const Variant* variant : contests[k].candidates) all[k].push_back({variant});
  for (int process = 0; process < processes; ++process) {
    MeasureOptions own = options;
    own.budget_s = options.budget_s / processes;
    own.seed = options.seed + static_cast<uint64_t>(process);
    own.judged = process == 0;
    OpenContests open(all.size());
    for (size_t k = 0; k < all.size(); ++k)
      for (Joined& joined : all[k])
        if (!joined.out) open[k].push_back(&joined);
    if (run_process(std::move(open), contests, own, process, processes, once)) continue;
    if (process == 0) return {};
    break;  // what the processes before it have measured stays
  }
  OfContests<ResultRow> finished(all.size());
  for (size_t k = 0; k < all.size(); ++k) {
    std::vector<ResultRow*> rows;
    for (Joined& joined : all[k]) {
      add_figures(joined, roofs);
      rows.push_back(&*joined.row);
    }
    bench::compare_with_vendors(rows, contests[k].candidates);
    for (ResultRow* row : rows) finished[k].push_back(std::move(*row));
  }
  return finished;
}

}  // namespace assay
