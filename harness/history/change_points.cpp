// E-divisive means: the best cut of a segment, whether it is better than chance, and so on in its parts.
#include "harness/history/change_points.h"

#include <cmath>

#include "harness/base/rng.h"
#include "harness/bench/estimates.h"

namespace assay::history {
namespace {

struct Cut {
  size_t at = 0;
  double energy = 0;
};

// The cut with the largest scaled energy distance, n·m/(n+m) · (2 E|X-Y| - E|X-X'| - E|Y-Y'|), with at least `least`
// values on each side. Moving one value over changes the sums by its distances, so all cuts take n² steps together.
Cut best_cut(const std::vector<double>& x, size_t least) {
  const size_t n = x.size();
  double left = 0, right = 0, across = 0;  // sums of distances over pairs
  for (size_t i = 0; i < n; ++i)
    for (size_t j = i + 1; j < n; ++j) right += std::fabs(x[i] - x[j]);
  Cut best;
  for (size_t cut = 1; cut < n; ++cut) {
    double to_left = 0, to_right = 0;  // of the value that goes over
    for (size_t i = 0; i + 1 < cut; ++i) to_left += std::fabs(x[cut - 1] - x[i]);
    for (size_t i = cut; i < n; ++i) to_right += std::fabs(x[cut - 1] - x[i]);
    left += to_left;
    right -= to_right;
    across += to_right - to_left;
    if (cut < least || n - cut < least) continue;
    const auto a = static_cast<double>(cut), b = static_cast<double>(n - cut);
    const double energy =
        a * b / (a + b) * (2 * across / (a * b) - 2 * left / (a * (a - 1)) - 2 * right / (b * (b - 1)));
    if (energy > best.energy) best = {cut, energy};
  }
  return best;
}

void shuffle(std::vector<double>& x, Rng& rng) {
  for (size_t i = x.size(); i > 1; --i) std::swap(x[i - 1], x[rng.below(i)]);
}

// The share of permutations with as good a cut; more than `significance` as soon as that is certain.
double permutation_p(std::vector<double> x, const Cut& cut, const ChangePointOptions& options, Rng& rng) {
  const double runs = options.permutations + 1;
  int as_good = 1;  // the series itself is one of its permutations
  for (int i = 0; i < options.permutations; ++i) {
    shuffle(x, rng);
    as_good += best_cut(x, options.level_min).energy >= cut.energy;
    if (as_good / runs > options.significance) break;
  }
  return as_good / runs;
}

struct Found {
  size_t index;
  double p;
};

void search(const std::vector<double>& values, size_t begin, size_t end, const ChangePointOptions& options, Rng& rng,
            std::vector<Found>& found) {
  if (end - begin < 2 * options.level_min) return;
  const std::vector<double> x(values.begin() + static_cast<std::ptrdiff_t>(begin),
                              values.begin() + static_cast<std::ptrdiff_t>(end));
  const Cut cut = best_cut(x, options.level_min);
  if (!(cut.energy > 0)) return;
  const double p = permutation_p(x, cut, options, rng);
  if (p > options.significance) return;
  search(values, begin, begin + cut.at, options, rng, found);
  found.push_back({begin + cut.at, p});
  search(values, begin + cut.at, end, options, rng, found);
}

double median_between(const std::vector<double>& values, size_t begin, size_t end) {
  return bench::median(
      {values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end)});
}

}  // namespace

std::vector<ChangePoint> change_points(const std::vector<double>& values, const ChangePointOptions& options) {
  Rng rng = Rng::stream(options.seed, "change points");
  std::vector<Found> found;
  search(values, 0, values.size(), options, rng, found);
  std::vector<ChangePoint> points;
  size_t begin = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    const size_t end = i + 1 < found.size() ? found[i + 1].index : values.size();
    const ChangePoint point{found[i].index, median_between(values, begin, found[i].index),
                            median_between(values, found[i].index, end), found[i].p};
    begin = found[i].index;
    if (std::fabs(point.after - point.before) >= options.effect_min * std::fabs(point.before)) points.push_back(point);
  }
  return points;
}

std::vector<ChangePoint> exact_change_points(const std::vector<double>& values) {
  std::vector<ChangePoint> points;
  for (size_t i = 1; i < values.size(); ++i)
    if (values[i] != values[i - 1]) points.push_back({i, values[i - 1], values[i], 0});
  return points;
}

}  // namespace assay::history
