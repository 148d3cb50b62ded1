// Accuracy as a figure to gate: how much of its error budget a kernel uses.
//
// One case says little: its data are random, another seed gives other data, and an honest change of the order of a sum
// moves single cases up and down by factors. So a variant and dtype is looked at over all cases that passed: the case
// at 90 % and the worst. Over six seeds of cases/ci.toml (8 variants of 4 ops in f32, 52 to 60 cases each) the first
// moved by at most 1.4 and 0.08 of the budget, the second by 1.9 and 0.23: what counts as a change is beyond that.
//
// Limit: in 16-bit dtypes the rounding of the output alone fills the budget, so the figures are 1 from the start.
#pragma once

#include <string>
#include <vector>

#include "harness/compare/compare.h"

namespace assay::comparison {

// A figure over the cases of a group changed when it is `factor` times what it was, and `budget` away from it.
struct AccuracyRule {
  const char* metric;
  double quantile;  // of the cases, nearest rank
  double factor;
  double budget;
};
inline constexpr AccuracyRule kTypicalError{"error/budget at 90 %", 0.9, 1.6, 0.15};
inline constexpr AccuracyRule kWorstError{"error/budget, worst", 1.0, 2.0, 0.3};

// Every variant, dtype and device that has errors, in their order.
struct Accuracy {
  std::string variant, dtype, device;
  double typical, worst;  // by the quantiles of the two rules
};
std::vector<Accuracy> accuracies(const Measured& measured);

// The lines of every variant, dtype and device that has errors in `before`; of those that `after` lacks only where
// `missing` says so.
std::vector<Line> compare_accuracy(const Measured& before, const Measured& after, bool missing);

}  // namespace assay::comparison
