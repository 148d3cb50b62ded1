// Finds where a series of measurements changed its level.
//
// E-divisive means (Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate
// Data", JASA 109, 2014), as MongoDB uses it for its performance tests (Daly et al., "The Use of Change Point Detection
// to Identify Software Performance Regressions in a Continuous Integration System", ICPE 2020): the series is cut where
// the energy distance between the two sides is largest, if permutations of it seldom have a cut as good, and then its
// parts are. It assumes nothing of how the noise is distributed, and an outlier is no change of level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::history {

struct ChangePoint {
  size_t index;   // the first value of the new level
  double before;  // medians of the levels that meet here
  double after;
  double p;  // of the permutation test
};

struct ChangePointOptions {
  size_t level_min = 3;    // values of a level
  int permutations = 999;  // at most: a test that is bound to fail ends early
  double significance = 0.005;
  double effect_min = 0.02;  // a smaller change of the level is not reported
  uint64_t seed = 1;
};

// Change points are in the order of the series. Values must be finite.
std::vector<ChangePoint> change_points(const std::vector<double>& values, const ChangePointOptions& options = {});

// For values without noise: every place where the value is another.
std::vector<ChangePoint> exact_change_points(const std::vector<double>& values);

}  // namespace assay::history
