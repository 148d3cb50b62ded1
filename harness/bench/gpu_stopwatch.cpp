// Timing contenders for the sampling loop.
#include "harness/bench/gpu_stopwatch.h"

namespace assay::bench {

Result<TimingSample> GpuStopwatch::run(size_t contender) {
  Contender& timed = *contenders_[contender];
  const ProfilerRange range(timer_, timed.c().id());
  const bool is_verified = verified_ && runs_[contender] == verified_->run;
  ++runs_[contender];
  if (!is_verified) return timed.time(cold_);
  return timed.time_and_fetch(cold_, verified_->set, &fetched_[contender]);
}

}  // namespace assay::bench
