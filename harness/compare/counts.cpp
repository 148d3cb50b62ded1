// Exact values: no noise, so no statistics.
#include "harness/compare/counts.h"

#include <algorithm>
#include <cmath>

namespace assay::comparison {
namespace {

constexpr double kRatioMin = 1e-3;

void fill(Line& line, const Series& before, const Series& after) {
  line.before = before.samples.front().front();
  line.after = after.samples.front().front();
  if (line.before > 0) line.ratio = line.after / line.before;
}

bool varies(const Series& series) {
  return std::ranges::any_of(series.samples,
                             [&](const std::vector<double>& each) { return each != series.samples.front(); });
}

}  // namespace

void compare_total(Line& line, const Series& before, const Series& after, double growth_max, bool other_compiler) {
  fill(line, before, after);
  const bool worse = (line.after > line.before) == (before.better == Better::lower);
  if (varies(before) || varies(after)) {
    line.change = Change::inconclusive;
    line.why = "differs within a run";
  } else if (std::fabs(line.after - line.before) <= (worse ? growth_max : 0) * std::fabs(line.before)) {
    line.change = Change::same;
  } else if (other_compiler) {
    line.change = Change::inconclusive;
    line.why = kOtherCompiler;
  } else {
    line.change = worse ? Change::regressed : Change::improved;
  }
}

bool compare_ratio(Line& line, const Series& before, const Series& after) {
  fill(line, before, after);
  return std::fabs(line.after - line.before) >= kRatioMin * std::fabs(line.before) && line.after != line.before;
}

}  // namespace assay::comparison
