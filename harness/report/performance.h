// The results of timed rows: the figures that console and HTML both show, computed once.
//
// A time counts as a figure to compare only where the row passed and outputs of the timed runs were right: one that is
// TIMING_SUSPECT, or that a wrong kernel took, shows nothing about speed.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "harness/report/report.h"

namespace assay {

struct TimedRow {
  const ResultRow* row = nullptr;  // has a timing
  std::string shape;               // "rows=8192 cols=4096": dims and attributes, and the fill unless it is "normal"
};

// The rows with a timing, in the order of the report, which must outlive them.
std::vector<TimedRow> timed_rows(const Report& report);

bool can_be_best(const TimedRow& timed);

// The fastest variant, of those that are no vendor's, in the case with the most compulsory bytes (the first of them) of
// each op and dtype where any can be best. Sorted by op, dtype.
std::vector<const TimedRow*> best_of_ops(const std::vector<TimedRow>& rows);

// The clocks of the multiprocessors in all samples of a case, whatever the variant. NaN where none was read.
struct CaseClocks {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  std::string op;
  DType dtype = DType::f32;
  std::string shape;
  int64_t samples = 0;
  int64_t discarded = 0;
  double lowest_mhz = kUnknown;
  double median_mhz = kUnknown;
  double highest_mhz = kUnknown;
};

// The rows without a time in a run that timed something, and why: by verdict and reason, the most frequent first.
struct LeftOut {
  Kind verdict = Kind::skipped;
  std::string reason;  // the first line of the rows' detail
  int64_t rows = 0;
  std::string example;  // the line of the first
};

std::vector<LeftOut> left_out(const Report& report);

// How many processes have a sample that counts.
int64_t processes_of(const Timing& timing);

std::vector<CaseClocks> case_clocks(const std::vector<TimedRow>& rows);  // sorted by op, dtype, then as in the report

}  // namespace assay
