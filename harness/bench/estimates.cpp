// Medians and their intervals: of samples from order statistics, of processes from Student's t.
#include "harness/bench/estimates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace assay::bench {
namespace {

constexpr double kTail = 0.025;  // on each side of a 95 % interval

// Student's t at 97.5 %, for 2 to 9 degrees of freedom (Abramowitz and Stegun, table 26.10).
constexpr std::array<double, kProcessesMax - kProcessesMin + 1> kStudent = {4.303, 3.182, 2.776, 2.571,
                                                                            2.447, 2.365, 2.306, 2.262};

bool has_nan(const std::vector<double>& values) {
  return std::ranges::any_of(values, [](double value) { return std::isnan(value); });
}

// The largest j with P(Bin(n, 1/2) < j) <= kTail: 0 where there is none.
size_t tail_rank(size_t n) {
  const auto count = static_cast<double>(n);
  size_t j = 0;
  double below = 0;
  while (true) {
    // This is in logarithms, because 2^-n leaves the range of a double beyond a thousand samples.
    const auto k = static_cast<double>(j);
    below += std::exp(std::lgamma(count + 1) - std::lgamma(k + 1) - std::lgamma(count - k + 1) - count * std::log(2.0));
    if (below > kTail) return j;
    ++j;
  }
}

// The median of the kept samples of each process that has any, by its number.
std::map<int, double> medians_by_process(const std::vector<TimingSample>& samples) {
  std::map<int, std::vector<double>> kept;
  for (const TimingSample& sample : samples)
    if (!sample.discarded) kept[sample.process].push_back(sample.us);
  std::map<int, double> medians;
  for (auto& [process, us] : kept) medians[process] = median(std::move(us));
  return medians;
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
  std::ranges::sort(values);
  return {values[j - 1], values[values.size() - j]};
}

double noise(const std::vector<double>& values) {
  const double middle = median(values);
  const Interval interval = median_interval(values);
  return middle > 0 ? (interval.high - interval.low) / 2 / middle : kNoTime;
}

double noise(const Estimate& estimate) { return (estimate.interval.high - estimate.interval.low) / 2 / estimate.value; }

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

Interval clocks_of_processes(const std::vector<TimingSample>& samples) {
  std::map<int, std::vector<double>> known;
  for (const TimingSample& sample : samples)
    if (!sample.discarded && sample.sm_mhz > 0) known[sample.process].push_back(sample.sm_mhz);
  Interval clocks;
  for (auto& [process, mhz] : known) {
    const double own = median(std::move(mhz));
    clocks.low = std::fmin(clocks.low, own);  // of a NaN and a number, the number
    clocks.high = std::fmax(clocks.high, own);
  }
  return clocks;
}

Estimate over_processes(std::vector<double> of_each) {
  const auto is_time = [](double value) { return value > 0 && std::isfinite(value); };
  if (of_each.empty() || !std::ranges::all_of(of_each, is_time)) return {};
  Estimate estimate{median(of_each), {}};
  const size_t n = of_each.size();
  if (n < kProcessesMin || n > kProcessesMax) return estimate;
  double mean = 0, squares = 0;
  for (double& value : of_each) mean += (value = std::log(value)) / static_cast<double>(n);
  for (const double value : of_each) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / static_cast<double>(n - 1) / static_cast<double>(n));
  const double half = kStudent[n - kProcessesMin] * error;
  estimate.interval = {std::min(std::exp(mean - half), estimate.value),
                       std::max(std::exp(mean + half), estimate.value)};
  return estimate;
}

Estimate time_over_processes(const std::vector<TimingSample>& samples) {
  std::vector<double> of_each;
  for (const auto& [process, us] : medians_by_process(samples)) of_each.push_back(us);
  return over_processes(std::move(of_each));
}

Estimate ratio_over_processes(const std::vector<TimingSample>& numerator,
                              const std::vector<TimingSample>& denominator) {
  const std::map<int, double> over = medians_by_process(numerator), under = medians_by_process(denominator);
  std::vector<double> of_each;
  for (const auto& [process, us] : over)
    if (const auto found = under.find(process); found != under.end()) of_each.push_back(us / found->second);
  return over_processes(std::move(of_each));
}

size_t processes_of(const std::vector<TimingSample>& samples) { return medians_by_process(samples).size(); }

}  // namespace assay::bench
