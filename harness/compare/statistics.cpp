// Ranks, resamples and tails.
#include "harness/compare/statistics.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "harness/base/rng.h"
#include "harness/bench/estimates.h"

namespace assay::comparison {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int kResamples = 1000;
constexpr double kTail = 0.025;     // on each side of a 95 % interval
constexpr double kNormal95 = 1.96;  // half the width of one in standard deviations
constexpr size_t kProcessesForRanks = 15;
constexpr double kStandsOut = 3.5;  // standard deviations: one row in two thousand that has not changed

std::vector<double> all_of(const Samples& samples) {
  std::vector<double> all;
  for (const std::vector<double>& process : samples) all.insert(all.end(), process.begin(), process.end());
  return all;
}

// Medians of resamples of one side. Samples are replaced by their ranks once, so that a resample is counted and never
// sorted.
class Resampler {
 public:
  explicit Resampler(const Samples& samples) : sorted_(all_of(samples)) {
    std::ranges::sort(sorted_);
    for (const std::vector<double>& process : samples) {
      if (process.empty()) continue;
      std::vector<uint32_t>& ranks = processes_.emplace_back();
      for (const double sample : process)
        ranks.push_back(
            static_cast<uint32_t>(std::lower_bound(sorted_.begin(), sorted_.end(), sample) - sorted_.begin()));
    }
    counts_.resize(sorted_.size());
  }

  double median(Rng& rng) {
    std::fill(counts_.begin(), counts_.end(), 0);
    size_t drawn = 0;
    for (size_t i = 0; i < processes_.size(); ++i) {
      const auto& process = processes_[processes_.size() == 1 ? 0 : rng.below(processes_.size())];
      draw_blocks(process, rng);
      drawn += process.size();
    }
    size_t rank = 0, below = counts_[0];
    while (below <= (drawn - 1) / 2) below += counts_[++rank];
    const double lower = sorted_[rank];
    while (below <= drawn / 2) below += counts_[++rank];
    return (lower + sorted_[rank]) / 2;
  }

 private:
  void draw_blocks(const std::vector<uint32_t>& process, Rng& rng) {
    const size_t size = process.size();
    const auto length = static_cast<size_t>(std::lround(std::cbrt(static_cast<double>(size))));
    for (size_t filled = 0; filled < size;) {
      size_t at = rng.below(size);
      for (size_t i = 0; i < length && filled < size; ++i, ++filled) {
        ++counts_[process[at]];
        if (++at == size) at = 0;
      }
    }
  }

  std::vector<double> sorted_;
  std::vector<std::vector<uint32_t>> processes_;
  std::vector<uint32_t> counts_;
};

// The factor for a bootstrap over k processes, which sees only (k-1)/k of the variance between them.
double few_processes(const Samples& before, const Samples& after) {
  const auto k = static_cast<double>(std::min(before.size(), after.size()));
  return k > 1 ? std::sqrt(k / (k - 1)) : 1;
}

std::vector<double> units(const Samples& samples, bool by_process) {
  if (!by_process) return all_of(samples);
  std::vector<double> medians;
  for (const std::vector<double>& process : samples) medians.push_back(bench::median(process));
  return medians;
}

struct Spread {
  double middle, spread;
};

// Half of all normal deviates are below 0.6745 standard deviations: the spread for which that is so of these shifts.
Spread spread_of(const std::vector<Shift>& shifts) {
  std::vector<double> ratios;
  for (const Shift& shift : shifts) ratios.push_back(shift.log_ratio);
  const double middle = bench::median(ratios);
  const auto typical = [&](double spread) {
    std::vector<double> deviations;
    for (const Shift& shift : shifts) {
      const double deviation = std::hypot(shift.standard_error, spread);
      deviations.push_back(deviation > 0 ? std::fabs(shift.log_ratio - middle) / deviation : 0);
    }
    return bench::median(deviations);
  };
  double low = 0, high = 10;  // of logarithms: from none to a factor of 20,000
  for (int halvings = 0; halvings < 50; ++halvings) {
    const double spread = (low + high) / 2;
    (typical(spread) > 0.6745 ? low : high) = spread;
  }
  return {middle, high};
}

}  // namespace

size_t count(const Samples& samples) {
  return std::accumulate(samples.begin(), samples.end(), size_t{0},
                         [](size_t sum, const std::vector<double>& process) { return sum + process.size(); });
}

double median(const Samples& samples) { return bench::median(all_of(samples)); }

Shift shift_of_medians(const Samples& before, const Samples& after, uint64_t seed) {
  const double from = median(before), to = median(after);
  if (!(from > 0) || !(to > 0)) return {kNan, kNan, kNan, kNan};
  Rng rng = Rng::stream(seed, "shift of medians");
  Resampler first(before), second(after);
  std::vector<double> resampled;
  resampled.reserve(kResamples);
  for (int i = 0; i < kResamples; ++i) {
    const double denominator = first.median(rng);
    resampled.push_back(second.median(rng) / denominator);
  }
  std::ranges::sort(resampled);
  const auto tail = static_cast<size_t>(kTail * kResamples);
  const double log_ratio = std::log(to / from), scale = few_processes(before, after);
  const double below = log_ratio - std::log(resampled[tail]);
  const double above = std::log(resampled[resampled.size() - 1 - tail]) - log_ratio;
  return {log_ratio, log_ratio - scale * below, log_ratio + scale * above, scale * (below + above) / 2 / kNormal95};
}

double mann_whitney(const Samples& before, const Samples& after) {
  const bool by_process = std::min(before.size(), after.size()) >= kProcessesForRanks;
  const std::vector<double> first = units(before, by_process), second = units(after, by_process);
  std::vector<std::pair<double, bool>> all;
  for (const double value : first) all.emplace_back(value, true);
  for (const double value : second) all.emplace_back(value, false);
  std::ranges::sort(all);
  const auto n = static_cast<double>(first.size()), m = static_cast<double>(second.size());
  double rank_sum = 0, ties = 0;
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin;
    while (end < all.size() && all[end].first == all[begin].first) ++end;
    const auto alike = static_cast<double>(end - begin);
    const double rank = static_cast<double>(begin + end + 1) / 2;  // the mean of their ranks, which begin at 1
    for (size_t i = begin; i < end; ++i) rank_sum += all[i].second ? rank : 0;
    ties += alike * (alike * alike - 1);
    begin = end;
  }
  const double u = rank_sum - n * (n + 1) / 2;
  const double variance = n * m / 12 * (n + m + 1 - ties / ((n + m) * (n + m - 1)));
  if (!(variance > 0)) return 1;
  const double z = std::max(0.0, std::fabs(u - n * m / 2) - 0.5) / std::sqrt(variance);
  return std::min(1.0, 2 * boost::math::cdf(complement(boost::math::normal(), z)));
}

double shift_p(const Shift& shift, double between_runs, size_t samples) {
  if (std::isnan(shift.log_ratio) || samples < 3) return 1;
  const double deviation = std::hypot(shift.standard_error, between_runs);
  if (shift.log_ratio == 0) return 1;
  if (!(deviation > 0)) return 0;
  const boost::math::students_t t(static_cast<double>(samples - 2));
  return 2 * boost::math::cdf(complement(t, std::fabs(shift.log_ratio) / deviation));
}

double spread_between_runs(const std::vector<Shift>& shifts) {
  std::vector<Shift> known;
  for (const Shift& shift : shifts)
    if (std::isfinite(shift.log_ratio)) known.push_back(shift);
  if (known.size() < kRowsForSpread) return kBetweenRuns;
  const Spread all = spread_of(known);
  std::erase_if(known, [&](const Shift& shift) {
    return std::fabs(shift.log_ratio - all.middle) > kStandsOut * std::hypot(shift.standard_error, all.spread);
  });
  return known.size() < kRowsForSpread ? all.spread : spread_of(known).spread;
}

Shift widened(const Shift& shift, double between_runs) {
  const double more = kNormal95 * between_runs;
  return {shift.log_ratio, shift.log_ratio - std::hypot(shift.log_ratio - shift.low, more),
          shift.log_ratio + std::hypot(shift.high - shift.log_ratio, more),
          std::hypot(shift.standard_error, between_runs)};
}

std::vector<double> false_discovery_adjusted(const std::vector<double>& p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) { return p[a] > p[b]; });
  std::vector<double> adjusted(p.size());
  double least = 1;
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t rank = order.size() - i;  // from the largest down
    least = std::min(least, p[order[i]] * static_cast<double>(p.size()) / static_cast<double>(rank));
    adjusted[order[i]] = least;
  }
  return adjusted;
}

}  // namespace assay::comparison
