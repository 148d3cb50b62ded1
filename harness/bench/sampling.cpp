// Warm-up, interleaving, and when to stop.
#include "harness/bench/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/bench/estimates.h"

namespace assay::bench {
namespace {

constexpr int kWarmUpMax = 10;
constexpr double kWarmUpAgrees = 0.02;

// A B C C B A.
std::vector<size_t> order_of_block(size_t candidates) {
  std::vector<size_t> order;
  for (size_t i = 0; i < candidates; ++i) order.push_back(i);
  for (size_t i = candidates; i > 0; --i) order.push_back(i - 1);
  return order;
}

bool is_quiet(const std::vector<TimingSample>& samples, const SamplingOptions& options) {
  const std::vector<double> kept = kept_us(samples);
  return std::ssize(kept) >= options.min_samples && noise(kept) <= options.noise;
}

bool is_mostly_throttled(const std::vector<TimingSample>& samples) {
  return 2 * kept_us(samples).size() < samples.size();
}

// Why to stop between two blocks; empty: go on.
std::string reason_to_stop(const Sampled& sampled, const SamplingOptions& options, double elapsed_s) {
  const auto& all = sampled.samples;
  if (std::all_of(all.begin(), all.end(), [&](const auto& samples) { return is_quiet(samples, options); }))
    return "noise";
  if (std::ssize(all[0]) + 2 > options.max_samples) return "samples";
  if (elapsed_s >= options.budget_s) return "budget";
  return "";
}

}  // namespace

std::optional<WarmUpError> warm_up(Stopwatch& stopwatch, size_t candidates) {
  for (size_t candidate = 0; candidate < candidates; ++candidate) {
    double before = std::numeric_limits<double>::quiet_NaN();
    for (int i = 0; i < kWarmUpMax; ++i) {
      const auto sample = stopwatch.run(candidate);
      if (!sample) return WarmUpError{sample.error(), candidate};
      if (std::fabs(sample->us - before) <= kWarmUpAgrees * before) break;
      before = sample->us;
    }
  }
  return std::nullopt;
}

Sampled sample(Stopwatch& stopwatch, size_t candidates, const SamplingOptions& options) {
  Sampled sampled;
  sampled.samples.resize(candidates);
  if (candidates == 0) return sampled;
  const std::vector<size_t> order = order_of_block(candidates);
  const double begin_s = stopwatch.now_s();
  std::string end;
  while (end.empty()) {
    for (const size_t candidate : order) {
      auto timed = stopwatch.run(candidate);
      if (!timed) {
        sampled.error = timed.error();
        sampled.failed = candidate;
        return sampled;
      }
      timed->discarded = is_throttled(*timed, options.default_mhz);
      sampled.samples[candidate].push_back(*timed);
    }
    end = reason_to_stop(sampled, options, stopwatch.now_s() - begin_s);
  }
  for (const auto& samples : sampled.samples) sampled.ends.push_back(is_mostly_throttled(samples) ? "throttled" : end);
  return sampled;
}

}  // namespace assay::bench
