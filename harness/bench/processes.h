// Cases measured by several processes, one after the other: the process is the unit of a timing claim.
//
// A process measures several cases, because to start one takes longer than to sample a case: CUDA's context, modules,
// libraries. Each round is one process for all of them, in an order that is drawn for it, so what a case finds on the
// GPU differs from round to round. Cases of one process share what the process fixes; the rounds of a case never do,
// and only they make its interval.
//
// The first round judges what timed runs wrote. The others measure the same again, and sum up what they wrote: the same
// bits are as right. A candidate that fails is out, and what its process had not measured yet is measured by another
// process without it, so that the others have all their samples.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "harness/bench/measure.h"

namespace assay {

// The number of cases for each process. With more, little is saved, and more is lost when the run is interrupted.
inline constexpr size_t kCasesOfAProcess = 8;

// A case, and the candidates that are measured in it against each other.
struct Contest {
  Case c;
  std::vector<const Variant*> candidates;
};

template <class Row>
using OfContests = std::vector<std::vector<Row>>;  // of each contest a row for each candidate, in their order

// Measures these contests in a process; nothing when it was stopped.
using MeasureOnce = std::function<OfContests<MeasuredRow>(const std::vector<Contest>&, const MeasureOptions&)>;

// Rows with the samples of all processes and the figures that follow from them. The budget, which is that of each case,
// is shared out among the processes. A candidate whose verdict is not PASS in one of them has that verdict;
// NONDETERMINISTIC where it promises the same bits and another process saw others. When it was stopped, what the
// processes before have measured; nothing when that was in the first.
OfContests<ResultRow> measure_in_processes(const std::vector<Contest>& contests, const Roofs& roofs,
                                           const MeasureOptions& options, int processes, const MeasureOnce& once);

}  // namespace assay
