// Timing candidates for the sampling loop.
#include "harness/bench/gpu_stopwatch.h"

namespace assay::bench {

Result<TimingSample> GpuStopwatch::run(size_t candidate) {
  Candidate& timed = *candidates_[candidate];
  const ProfilerRange range(timer_, timed.c().id());
  const bool is_verified = verified_ && runs_[candidate] == verified_->run;
  ++runs_[candidate];
  if (!is_verified) return timed.time(cold_);
  return timed.time_and_fetch(cold_, verified_->set, &fetched_[candidate]);
}

}  // namespace assay::bench
