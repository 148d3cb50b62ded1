// Medians and their intervals, from order statistics and the bootstrap.
#include "harness/bench/estimates.h"

#include <algorithm>
#include <cmath>

#include "harness/base/rng.h"

namespace assay::bench {
namespace {

constexpr double kTail = 0.025;  // on each side of a 95 % interval
constexpr int kResamples = 2000;
constexpr size_t kBlocksMin = 6;
constexpr size_t kSamplesInBlock = 2;

bool has_nan(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

// The largest j with P(Bin(n, 1/2) < j) <= kTail: 0 where there is none.
size_t tail_rank(size_t n) {
  const auto count = static_cast<double>(n);
  size_t j = 0;
  double below = 0;
  while (true) {
    // In logarithms, because 2^-n leaves the range of a double beyond a thousand samples.
    const auto k = static_cast<double>(j);
    below += std::exp(std::lgamma(count + 1) - std::lgamma(k + 1) - std::lgamma(count - k + 1) - count * std::log(2.0));
    if (below > kTail) return j;
    ++j;
  }
}

struct Block {
  std::vector<double> numerator;
  std::vector<double> denominator;
};

std::vector<double> kept_in_block(const std::vector<TimingSample>& samples, size_t block) {
  std::vector<double> kept;
  for (size_t i = block * kSamplesInBlock; i < std::min(samples.size(), (block + 1) * kSamplesInBlock); ++i)
    if (!samples[i].discarded) kept.push_back(samples[i].us);
  return kept;
}

std::vector<Block> blocks_of(const std::vector<TimingSample>& numerator, const std::vector<TimingSample>& denominator) {
  std::vector<Block> blocks;
  for (size_t b = 0; b * kSamplesInBlock < std::min(numerator.size(), denominator.size()); ++b) {
    Block block{kept_in_block(numerator, b), kept_in_block(denominator, b)};
    if (!block.numerator.empty() && !block.denominator.empty()) blocks.push_back(std::move(block));
  }
  return blocks;
}

double resampled_ratio(const std::vector<Block>& blocks, Rng& rng) {
  std::vector<double> numerator, denominator;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[rng.below(blocks.size())];
    numerator.insert(numerator.end(), block.numerator.begin(), block.numerator.end());
    denominator.insert(denominator.end(), block.denominator.begin(), block.denominator.end());
  }
  return median(std::move(numerator)) / median(std::move(denominator));
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty() || has_nan(values)) return kNoTime;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

Interval median_interval(std::vector<double> values) {
  const size_t j = tail_rank(values.size());
  if (j == 0 || has_nan(values)) return {};
  std::sort(values.begin(), values.end());
  return {values[j - 1], values[values.size() - j]};
}

double noise(const std::vector<double>& values) {
  const double middle = median(values);
  const Interval interval = median_interval(values);
  return middle > 0 ? (interval.high - interval.low) / 2 / middle : kNoTime;
}

bool is_throttled(const TimingSample& sample, double default_mhz) {
  return sample.sm_mhz > 0 && sample.sm_mhz < kThrottledShare * default_mhz;
}

std::vector<double> kept_us(const std::vector<TimingSample>& samples) {
  std::vector<double> kept;
  for (const TimingSample& sample : samples)
    if (!sample.discarded) kept.push_back(sample.us);
  return kept;
}

double median_cycles(const std::vector<TimingSample>& samples) {
  std::vector<double> cycles;
  for (const TimingSample& sample : samples)
    if (!sample.discarded && sample.sm_mhz > 0) cycles.push_back(sample.us * sample.sm_mhz);
  return median(std::move(cycles));
}

Ratio ratio_of_medians(const std::vector<TimingSample>& numerator, const std::vector<TimingSample>& denominator,
                       uint64_t seed) {
  Ratio ratio{median(kept_us(numerator)) / median(kept_us(denominator)), {}};
  if (!std::isfinite(ratio.value)) return {};
  const std::vector<Block> blocks = blocks_of(numerator, denominator);
  if (blocks.size() < kBlocksMin) return ratio;
  Rng rng = Rng::stream(seed, "ratio of medians");
  std::vector<double> resampled;
  for (int i = 0; i < kResamples; ++i) resampled.push_back(resampled_ratio(blocks, rng));
  std::sort(resampled.begin(), resampled.end());
  const auto rank = static_cast<size_t>(kTail * kResamples);
  ratio.interval = {resampled[rank], resampled[resampled.size() - 1 - rank]};
  return ratio;
}

}  // namespace assay::bench
