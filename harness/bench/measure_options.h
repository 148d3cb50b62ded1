// How long and how well a case is measured.
#pragma once

#include <cstdint>

#include "harness/bench/sampling.h"
#include "harness/device/cuda/gpu_info.h"

namespace assay {

struct MeasureOptions {
  double noise = 0.005;    // stop when the median of every candidate is known this well (bench/estimates.h)
  double budget_s = 2;     // of sampling one case, for all candidates together
  int min_samples = 20;    // of each candidate
  int max_samples = 1000;  // of each candidate
  bool cold = true;   // the L2 cache is flushed before each sample; false: it holds the tensors, as far as they fit
  uint64_t seed = 0;  // of the bootstrap, and of which sample is verified
};

namespace bench {

inline SamplingOptions sampling_options(const MeasureOptions& options, const GpuInfo& gpu) {
  return {.noise = options.noise,
          .budget_s = options.budget_s,
          .min_samples = options.min_samples,
          .max_samples = options.max_samples,
          .default_mhz = gpu.sm_mhz};
}

}  // namespace bench
}  // namespace assay
