// The part of a report beyond its own rows: earlier runs. History and comparison fill it in; a report of one run alone
// has none of it.
#pragma once

#include <string>
#include <vector>

#include "harness/result/figures.h"

namespace assay {

struct TrendPoint {
  std::string started;  // UTC, "2026-01-31T12:00:00Z"
  std::string commit;
  double value = 0;
};

// One metric of one subject over the runs that have it, oldest first.
struct TrendView {
  std::string variant, subject, device, gpu, metric, unit;
  Better better = Better::lower;
  std::vector<TrendPoint> points;
  int direction = 0;   // at the last change of its level: 1 worse, -1 better, 0 none
  int changed_at = 0;  // the index of the first point of the last level
  double before = 0, after = 0;
};

// A saved failing case.
struct SavedView {
  std::string path, line;
  std::string verdict;        // of this run; "": it did not run the case
  std::string since, commit;  // the first run of which the history knows that this variant failed, and has since
};

// A line of a comparison with an earlier run that got worse, or is missing.
struct WorseView {
  std::string change;  // "REGRESSED", "MISSING"
  std::string variant, subject, device, metric;
  std::string values, effect;  // "12.3 -> 15.1 µs", "+23 % (+22 to +24)"
  std::string why, again;      // what the numbers do not show; the command that runs it again
  std::string base;            // the run that it is compared with
};

struct OverTime {
  std::vector<WorseView> worse;
  std::vector<TrendView> trends;  // what got worse first, latest first; then what got better; then what is level
  std::vector<SavedView> saved;
  bool empty() const { return worse.empty() && trends.empty() && saved.empty(); }
};

}  // namespace assay
