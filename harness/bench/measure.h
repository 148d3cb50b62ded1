// Measures the variants of one case on a GPU against each other: the spine of `assay bench`.
//
// A time counts only for work that was done: outputs of timed runs are poisoned before, and judged after.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/bench/roofs.h"
#include "harness/case/case.h"
#include "harness/device/cuda/gpu_runtime.h"
#include "harness/device/cuda/gpu_timer.h"
#include "harness/judge/result.h"
#include "harness/op/variant.h"

namespace assay {

struct MeasureOptions {
  double noise = 0.005;    // stop when the median of every contender is known this well (bench/statistics.h)
  double budget_s = 2;     // of sampling one case, for all contenders together
  int min_samples = 20;    // of each contender
  int max_samples = 1000;  // of each contender
  bool cold = true;   // the L2 cache is flushed before each sample; false: it holds the tensors, as far as they fit
  uint64_t seed = 0;  // of the bootstrap, and of which sample is verified
};

// The case as a contender runs it: its name, and one of its block sizes: the case's, else its largest up to 256.
Case case_for(const Case& c, const Variant& variant);

// One row for each contender, in their order. Contenders are variants of device "gpu" of the case's op, a vendor's
// among them; that they pass the case is the caller's to see to first, in another process.
//
// PASS: `timing` is complete, and outputs of a sample in the middle and of a last run were right. MISMATCH, UNWRITTEN,
// …: they were not, and there is no timing. TIMING_SUSPECT: they were, but the time is impossible; it is given. CRASH:
// the GPU failed while this contender ran; the process should end. SKIPPED: the tensors do not fit, or another
// contender failed.
//
// `speedup` is against the fastest of the vendor's variants among the contenders that pass.
std::vector<ResultRow> measure_case(const Case& c, const std::vector<const Variant*>& contenders, GpuRuntime& runtime,
                                    GpuTimer& timer, const Roofs& roofs, const MeasureOptions& options);

}  // namespace assay
