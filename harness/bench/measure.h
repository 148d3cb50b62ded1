// Measures the variants of one case on a GPU against each other: the spine of `assay bench`.
//
// A time counts only for work that was done: outputs of timed runs are poisoned before, and judged after.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "harness/bench/measure_options.h"
#include "harness/bench/roofs.h"
#include "harness/case/case.h"
#include "harness/device/cuda/gpu_runtime.h"
#include "harness/device/cuda/gpu_timer.h"
#include "harness/op/variant.h"
#include "harness/result/row.h"

namespace assay {

// The case as a candidate runs it: its name, and one of the block sizes that it takes, if it names any: the case's,
// else its largest up to 256, else its smallest.
Case case_for(const Case& c, const Variant& variant);

// The result of one process for a candidate.
struct MeasuredRow {
  ResultRow row;
  uint64_t written = 0;  // checksum of what its last run wrote; 0 where there is none
  bool again = false;    // it did nothing wrong: the GPU failed under another, without which it can be measured
};

// Events that are reported as measuring goes on, so that a crash or a hang has a name.
struct MeasureEvents {
  std::function<void(const Variant&)> begins = {};  // who runs next
  // Around a candidate's first run, in which its library makes a plan for the shape.
  std::function<void(const Variant&)> prepares = {}, prepared = {};
};

// One row for each candidate, in their order. Candidates are variants of device "gpu" of the case's op, a vendor's
// among them; the caller checks first, in another process, that they are right on a smaller case.
//
// PASS: `timing` is complete, and the outputs of a last run were right, like those of a run in the middle, unless the
// budget ended before it; where options.judged is false they are summed up only. MISMATCH, UNWRITTEN, …: they were not,
// and there is no timing. TIMING_SUSPECT: they were, but the time is impossible; it is given. CRASH: the GPU failed
// while this candidate ran; the process should end. UNSUPPORTED: the variant does not take the case. SKIPPED: the
// tensors do not fit, the GPU failed for good under another candidate, its workspace is out of proportion, or every
// sample was throttled.
//
// `speedup` is against the fastest of the vendor's variants among the candidates that pass.
std::vector<MeasuredRow> measure_case(const Case& c, const std::vector<const Variant*>& candidates, GpuRuntime& runtime,
                                      GpuTimer& timer, const Roofs& roofs, const MeasureOptions& options,
                                      const MeasureEvents& events = {});

}  // namespace assay
