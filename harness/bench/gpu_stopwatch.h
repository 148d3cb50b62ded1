// The stopwatch of the sampling loop on a GPU: it times contenders, and keeps what one run of each has written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/bench/contender.h"
#include "harness/bench/sampling.h"
#include "harness/bench/verify.h"
#include "harness/device/cuda/gpu_timer.h"

namespace assay::bench {

// Which run of each contender is verified, counted from 0, and on which set of tensors.
struct VerifiedRun {
  int64_t run = 0;
  size_t set = 0;
};

class GpuStopwatch : public Stopwatch {
 public:
  // Contenders in the order of the loop's numbers; they outlive the stopwatch.
  GpuStopwatch(std::vector<Contender*> contenders, GpuTimer& timer, bool cold,
               std::optional<VerifiedRun> verified = std::nullopt)
      : contenders_(std::move(contenders)),
        fetched_(contenders_.size()),
        runs_(contenders_.size()),
        timer_(timer),
        cold_(cold),
        verified_(verified) {}

  Result<TimingSample> run(size_t contender) override;
  double now_s() override { return timer_.now_s(); }

  // What the verified run of a contender wrote; empty where it never came to it.
  Tensors& fetched(size_t contender) { return fetched_[contender]; }

 private:
  std::vector<Contender*> contenders_;
  std::vector<Tensors> fetched_;
  std::vector<int64_t> runs_;
  GpuTimer& timer_;
  const bool cold_;
  const std::optional<VerifiedRun> verified_;
};

}  // namespace assay::bench
