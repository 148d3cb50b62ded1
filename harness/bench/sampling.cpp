// Warm-up, interleaving, and when to stop.
#include "harness/bench/sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "harness/base/rng.h"
#include "harness/bench/estimates.h"

namespace assay::bench {
namespace {

constexpr double kWarmUpMax_s = 0.5;
constexpr int kWarmUpRunsMax = 10'000;  // whatever the clock says
constexpr double kWarmUpAgrees = 0.02;

// A C B B C A, beginning with whom the generator says.
std::vector<size_t> order_of_block(std::vector<size_t> candidates, Rng& rng) {
  for (size_t i = candidates.size(); i > 1; --i) std::swap(candidates[i - 1], candidates[rng.below(i)]);
  std::vector<size_t> order = candidates;
  order.insert(order.end(), candidates.rbegin(), candidates.rend());
  return order;
}

bool is_quiet(const std::vector<TimingSample>& samples, const SamplingOptions& options) {
  const std::vector<double> kept = kept_us(samples);
  return std::ssize(kept) >= options.min_samples && noise(kept) <= options.noise;
}

bool is_mostly_throttled(const std::vector<TimingSample>& samples) {
  return 2 * kept_us(samples).size() < samples.size();
}

// Why a candidate takes no part in the next block; empty: it does.
std::string reason_to_stop(const std::vector<TimingSample>& samples, const SamplingOptions& options, double spent_s,
                           double share_s) {
  if (is_quiet(samples, options)) return "noise";
  if (std::ssize(samples) + 2 > options.max_samples) return "samples";
  if (spent_s >= share_s) return "budget";
  return "";
}

// One more sample of a candidate, and the time that it took with all that is put back before it.
Result<double> add_sample(Stopwatch& stopwatch, size_t candidate, const SamplingOptions& options,
                          std::vector<TimingSample>& samples) {
  const double begin_s = stopwatch.now_s();
  auto timed = ASSAY_TRY(stopwatch.run(candidate));
  timed.discarded = is_throttled(timed, options.default_mhz);
  samples.push_back(timed);
  return stopwatch.now_s() - begin_s;
}

}  // namespace

std::optional<WarmUpError> warm_up(Stopwatch& stopwatch, size_t candidates, double least_s) {
  for (size_t candidate = 0; candidate < candidates; ++candidate) {
    const double begin_s = stopwatch.now_s();
    double before = 0;
    for (int runs = 1;; ++runs) {
      const auto sample = stopwatch.run(candidate);
      if (!sample) return WarmUpError{sample.error(), candidate};
      const double elapsed_s = stopwatch.now_s() - begin_s;
      const bool agrees = std::fabs(sample->us - before) <= kWarmUpAgrees * before;
      before = sample->us;
      if (runs >= 2 && ((agrees && elapsed_s >= least_s) || elapsed_s >= kWarmUpMax_s || runs == kWarmUpRunsMax)) break;
    }
  }
  return std::nullopt;
}

Sampled sample(Stopwatch& stopwatch, size_t candidates, const SamplingOptions& options) {
  Sampled sampled;
  sampled.samples.resize(candidates);
  std::vector<std::string> ends(candidates);
  std::vector<double> spent_s(candidates);
  const double share_s = options.budget_s / static_cast<double>(std::max<size_t>(candidates, 1));
  Rng rng = Rng::stream(options.seed, "order of a block");
  std::vector<size_t> active(candidates);
  std::iota(active.begin(), active.end(), size_t{0});
  while (!active.empty()) {
    for (const size_t candidate : order_of_block(active, rng)) {
      const auto took_s = add_sample(stopwatch, candidate, options, sampled.samples[candidate]);
      if (!took_s) {
        sampled.error = took_s.error();
        sampled.failed = candidate;
        return sampled;
      }
      spent_s[candidate] += *took_s;
    }
    std::erase_if(active, [&](size_t candidate) {
      ends[candidate] = reason_to_stop(sampled.samples[candidate], options, spent_s[candidate], share_s);
      return !ends[candidate].empty();
    });
  }
  for (size_t i = 0; i < candidates; ++i)
    sampled.ends.push_back(is_mostly_throttled(sampled.samples[i]) ? "throttled" : ends[i]);
  return sampled;
}

}  // namespace assay::bench
