// Asking the processes, and putting together what they say.
#include "harness/bench/processes.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "harness/bench/estimates.h"
#include "harness/bench/figures.h"
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
  if (joined.variant->deterministic && measured.written != joined.written) {
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

// One process, and again without those that made it fail. False: it was stopped.
bool run_process(std::vector<Joined*> open, const MeasureOptions& options, int process, int processes,
                 const MeasureOnce& once) {
  while (!open.empty()) {
    std::vector<const Variant*> candidates;
    for (const Joined* joined : open) candidates.push_back(joined->variant);
    std::vector<MeasuredRow> rows = once(candidates, options);
    if (rows.empty()) return false;
    std::vector<Joined*> again;
    for (size_t i = 0; i < open.size(); ++i)
      if (rows[i].again) again.push_back(open[i]);
    const bool blamed = again.size() < open.size();  // else nobody would be left out of the next try
    for (size_t i = 0; i < open.size(); ++i)
      if (!rows[i].again || !blamed) take(std::move(rows[i]), process, processes, *open[i]);
    open = blamed ? std::move(again) : std::vector<Joined*>{};
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

std::vector<ResultRow> measure_in_processes(const std::vector<const Variant*>& candidates, const Roofs& roofs,
                                            const MeasureOptions& options, int processes, const MeasureOnce& once) {
  std::vector<Joined> all;
  for (const Variant* variant : candidates) all.push_back({variant});
  for (int process = 0; process < processes; ++process) {
    MeasureOptions own = options;
    own.budget_s = options.budget_s / processes;
    own.seed = options.seed + static_cast<uint64_t>(process);
    own.judged = process == 0;
    std::vector<Joined*> open;
    for (Joined& joined : all)
      if (!joined.out) open.push_back(&joined);
    if (!run_process(std::move(open), own, process, processes, once)) return {};
  }
  std::vector<ResultRow*> rows;
  for (Joined& joined : all) {
    add_figures(joined, roofs);
    rows.push_back(&*joined.row);
  }
  bench::compare_with_vendors(rows, candidates);
  std::vector<ResultRow> finished;
  for (ResultRow* row : rows) finished.push_back(std::move(*row));
  return finished;
}

}  // namespace assay
