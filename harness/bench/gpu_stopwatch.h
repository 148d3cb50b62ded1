// The stopwatch of the sampling loop on a GPU: it times candidates, and keeps what one run of each has written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/bench/candidate.h"
#include "harness/bench/sampling.h"
#include "harness/bench/verify.h"
#include "harness/device/cuda/gpu_timer.h"

namespace assay::bench {

// Which run of each candidate is verified, counted from 0, and on which set of tensors.
struct VerifiedRun {
  int64_t run = 0;
  size_t set = 0;
};

class GpuStopwatch : public Stopwatch {
 public:
  // Candidates in the order of the loop's numbers; they outlive the stopwatch.
  GpuStopwatch(std::vector<Candidate*> candidates, GpuTimer& timer, bool cold,
               std::optional<VerifiedRun> verified = std::nullopt)
      : candidates_(std::move(candidates)),
        fetched_(candidates_.size()),
        runs_(candidates_.size()),
        timer_(timer),
        cold_(cold),
        verified_(verified) {}

  Result<TimingSample> run(size_t candidate) override;
  double now_s() override { return timer_.now_s(); }

  // The tensors that the verified run of a candidate wrote; empty where it never came to it.
  Tensors& fetched(size_t candidate) { return fetched_[candidate]; }

 private:
  std::vector<Candidate*> candidates_;
  std::vector<Tensors> fetched_;
  std::vector<int64_t> runs_;
  GpuTimer& timer_;
  const bool cold_;
  const std::optional<VerifiedRun> verified_;
};

}  // namespace assay::bench
