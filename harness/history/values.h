// The values that a history keeps of a run, by variant, subject and metric.
#pragma once

#include <string>
#include <vector>

#include "harness/bench/estimates.h"
#include "harness/compare/measured.h"

namespace assay::history {

inline constexpr const char* kFailing = "failing cases";

struct Value {
  comparison::Subject subject;  // without series
  std::string metric, unit;
  Better better = Better::lower;
  bool exact = false;
  double value = 0;
  bench::Interval interval = {};
  int64_t samples = 1;
};

// For times the median with its interval; for counts the value; for errors the figures of accuracy.h over the cases of
// a variant and dtype; and how many cases of these fail, with all of them as samples.
std::vector<Value> values_of(const comparison::Measured& run);

// FNV-1a over what is kept: the same run has the same digest, wherever its folder was copied to.
std::string digest_of(const RunInfo& info, const std::vector<Value>& values);

}  // namespace assay::history
