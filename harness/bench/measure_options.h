// How long and how well a case is measured.
#pragma once

#include <cstdint>

#include "harness/bench/sampling.h"
#include "harness/device/cuda/gpu_info.h"

namespace assay {

// Candidates are checked on smaller cases before; so many at once, because nothing of that is timed.
inline constexpr int kCheckJobs = 4;

struct MeasureOptions {
  double noise = 0.005;    // stop when the median of every candidate is known this well (bench/estimates.h)
  double budget_s = 2;     // of sampling one case, for all candidates together, in all processes
  int min_samples = 20;    // of each candidate in a process
  int max_samples = 1000;  // likewise
  double warm_up_s = bench::kWarmUp_s;  // of each candidate, before it is sampled
  bool cold = true;    // the L2 cache is flushed before each sample; false: it holds the tensors, as far as they fit
  uint64_t seed = 0;   // of who begins in each block, and of which sample is verified
  bool judged = true;  // what timed runs wrote; false: it is only summed up, for a case of which another process judges
};

namespace bench {

inline SamplingOptions sampling_options(const MeasureOptions& options, const GpuInfo& gpu) {
  return {.noise = options.noise,
          .budget_s = options.budget_s,
          .min_samples = options.min_samples,
          .max_samples = options.max_samples,
          .default_mhz = gpu.sm_mhz,
          .seed = options.seed};
}

}  // namespace bench
}  // namespace assay
