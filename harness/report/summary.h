// The summary of many rows: the figures that console, JUnit and HTML all show, computed once.
//
// Rows that shrinking made (`shrunk_from` is set) repeat a failure that is already there, and a MISTRUSTED row repeats
// a case that passed; neither counts as a case of its own, and neither enters the error figures.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/report.h"

namespace assay {

using VerdictCounts = std::map<Kind, int64_t>;

// All cases of one op, or variant, × dtype. Figures are error/budget over the cases that were compared; NaN when none
// was.
struct OpSummary {
  std::string op;
  std::string variant;  // "": all of the op's
  DType dtype = DType::f32;
  int64_t cases = 0;
  VerdictCounts verdicts;
  int64_t compared = 0;
  double median = 0;
  double p99 = 0;  // nearest rank
  double worst = 0;
  const ResultRow* worst_row = nullptr;  // one of those that were summarised
  int64_t either_way = 0;                // elements for which two values were right
};

std::vector<OpSummary> summarise_ops(const std::vector<ResultRow>& rows);       // sorted by op, dtype
std::vector<OpSummary> summarise_variants(const std::vector<ResultRow>& rows);  // sorted by op, variant, dtype

enum class Outcome : uint8_t { passed, failed, inconclusive };

struct Summary {
  Outcome outcome = Outcome::inconclusive;
  std::string headline;  // one sentence: the outcome and the counts it rests on
  int64_t cases = 0;
  VerdictCounts verdicts;
};

// "incomplete: 20 of 433 cases, interrupted"; "" for a run that is complete.
std::string incomplete_text(const Report& report);

// The reason that a run has no verdict, or is not whole: INCOMPLETE or INCONCLUSIVE, and why. Nothing for one that is
// complete and judged something.
struct Gap {
  std::string type, why;
};
std::optional<Gap> gap_of(const Report& report);

// The verdict of a run, for the console, every sink and the exit code.
// failed: any failure. passed: none, at least one pass, and the run is complete. inconclusive: the rest.
Summary summarise(const Report& report);

// One reason for which cases were not judged.
struct NotJudged {
  Kind kind = Kind::skipped;
  std::string why;  // as its first case says
  int64_t cases = 0;
};

// Reasons of all SKIPPED cases, and of UNSUPPORTED ones where none of the same variant, dtype and device was judged: a
// requirement that some cases break is no news. Reasons are one where they differ only in numbers, or after a first
// semicolon, where advice and single cases stand. Reasons with the most cases come first.
std::vector<NotJudged> not_judged(const std::vector<ResultRow>& rows);

// The row to show of each op, variant, dtype and device whose memory accesses were counted: its case with the most
// compulsory bytes among those that launched a kernel, the first of them. Sorted by op, variant, dtype, device.
std::vector<const ResultRow*> largest_counted(const std::vector<ResultRow>& rows);

bool is_case(const ResultRow& row);  // false for rows that repeat another row's case
int64_t failures(const VerdictCounts& counts);
std::string_view name(Outcome outcome);  // "PASSED", "FAILED", "INCONCLUSIVE"

}  // namespace assay
