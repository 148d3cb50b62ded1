// The loop that takes samples: warm-up, interleaving, and when to stop. It sees a stopwatch only, so that it is tested
// with a simulated clock.
//
// Candidates are interleaved in blocks, forward and then backward: A B B A for two, A B C C B A for three. Each has two
// samples in a block, at the same mean position, so that a drift that is linear over a block hits all alike. Who begins
// is drawn for each block. A candidate that is known well enough, or has had its share of the budget, takes no part in
// later blocks: a slow one costs the others no samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/device/timing.h"

namespace assay::bench {

class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  virtual Result<TimingSample> run(size_t candidate) = 0;
  virtual double now_s() = 0;  // of a steady clock
};

struct SamplingOptions {
  double noise = 0.005;    // enough, for every candidate (estimates.h)
  double budget_s = 2;     // for all candidates together: each has the same share
  int min_samples = 20;    // of each candidate, kept ones: no fewer are called quiet
  int max_samples = 1000;  // of each candidate
  double default_mhz = 0;  // of the GPU; samples below kThrottledShare of it are discarded; 0: unknown
  uint64_t seed = 0;       // of the order in each block
};

struct Sampled {
  std::vector<std::vector<TimingSample>> samples;  // of each candidate, in the order of measuring
  // Why it ended, for each candidate: "noise" (small enough), "budget", "samples" (the most that were asked for), or
  // "throttled" (over half of its own samples were discarded, however it ended for the others). Empty after an error.
  std::vector<std::string> ends;
  std::optional<Error> error;  // of the stopwatch; what was sampled before it is above
  size_t failed = 0;           // the candidate that it timed then
};

// In 50 ms a GPU reaches the clock that it then keeps.
inline constexpr double kWarmUp_s = 0.05;

// Runs each candidate for `least_s`, and until two successive times agree within 2 %; for half a second at most, and
// twice however long that takes. Nothing is kept.
struct WarmUpError {
  Error error;
  size_t candidate = 0;
};
std::optional<WarmUpError> warm_up(Stopwatch& stopwatch, size_t candidates, double least_s = kWarmUp_s);

// Blocks are never cut short: limits are looked at between blocks, and one block is always measured. So a share of the
// budget can be overrun by two runs, and an odd max_samples is one less.
Sampled sample(Stopwatch& stopwatch, size_t candidates, const SamplingOptions& options);

}  // namespace assay::bench
