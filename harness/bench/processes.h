// A case measured by several processes, one after the other: the process is the unit of a timing claim.
//
// The first judges what timed runs wrote. The others measure the same again, and sum up what they wrote: the same bits
// are as right. A candidate that fails is out, and the process in which it failed is run again without it, so that the
// others have all their samples.
#pragma once

#include <functional>
#include <vector>

#include "harness/bench/measure.h"

namespace assay {

// Measures these candidates in a process; nothing when it was stopped.
using MeasureOnce =
    std::function<std::vector<MeasuredRow>(const std::vector<const Variant*>& candidates, const MeasureOptions&)>;

// A row for each candidate, in their order, with the samples of all processes and the figures that follow from them.
// The budget is shared out among the processes. A candidate whose verdict is not PASS in one of them has that verdict;
// NONDETERMINISTIC where it promises the same bits and another process saw others. Nothing when it was stopped.
std::vector<ResultRow> measure_in_processes(const std::vector<const Variant*>& candidates, const Roofs& roofs,
                                            const MeasureOptions& options, int processes, const MeasureOnce& once);

}  // namespace assay
