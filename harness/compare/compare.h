// Decides what got worse from one run to another, what better, what is the same, and what is undecided.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/terminal.h"
#include "harness/compare/measured.h"

namespace assay::comparison {

// The changes are in the order of reports.
enum class Change : uint8_t { regressed, missing, failing, inconclusive, improved, added, same };
inline constexpr size_t kChanges = 7;
struct ChangeWords {
  std::string_view name;     // "REGRESSED", "MISSING", "FAILING" (in both), …, "NEW", "SAME"
  std::string_view counted;  // "3 regressed", "1 fail in both"
  Tone tone;
};
const ChangeWords& words_of(Change change);
inline std::string_view name(Change change) { return words_of(change).name; }

struct CompareOptions {
  double effect_min = 0.02;          // smaller changes of a time count as none
  double ns_min = 20;                // and so do these
  double false_discoveries = 0.015;  // the share of changed rows that may be false
  double resolution = 0.05;          // a row is the same when a change this large can be ruled out
  double growth_max = 0;             // a total that grows by this share or less is the same
  uint64_t seed = 1;                 // of the bootstrap
};

inline constexpr size_t kSamplesMin = 8;  // of a time, on either side

// One metric of one row, in both runs.
struct Line {
  Change change = Change::same;
  std::string variant;  // as in Subject
  std::string dtype;
  std::string subject;
  std::string device;
  std::string metric;
  std::string unit;
  double before = kUnknown;  // the value, or the median of the samples
  double after = kUnknown;
  double ratio = kUnknown;  // of times and totals, after / before; of times with its 95 % interval
  double low = kUnknown;
  double high = kUnknown;
  double p = kUnknown;     // adjusted for all lines of the table
  std::string why;         // what the numbers do not show: "MISMATCH: …", "fewer than 8 samples"
  bool same_code = false;  // is_same_code
  std::string verb;        // as in Series
  std::string source;      // as in Subject
  std::string again;       // the command that runs it again
};

struct Comparison {
  RunInfo before, after;
  std::string before_path, after_path;
  std::vector<Line> lines;         // sorted by change, then largest effect first, then by name
  std::vector<Line> ratios;        // of totals, those that differ: they decide nothing
  std::vector<std::string> notes;  // what bears on all lines, each once
  std::array<int64_t, kChanges> counts = {};
  bool complete = true;  // both runs are

  int64_t count(Change change) const { return counts[static_cast<size_t>(change)]; }
};

// Compares what both have, row for row and metric for metric:
//
//   times, cycles  by samples (statistics.h): changed when the interval is clear of 1, the adjusted p is at most
//                  false_discoveries and the change at least effect_min and ns_min; the same when a change of
//                  `resolution` can be ruled out. Where clocks were read, times and cycles must agree.
//   totals         exactly: bytes, requests, instructions, registers, … Growth beyond growth_max and any decrease
//   count,
//                  unless the compiler is another.
//   ratios         not at all: less work may be done by fewer lanes. They are kept apart, beside the totals.
//   error/budget   over the cases of a variant and dtype (accuracy.h)
//   verdict        a row that passed and fails; one that fails in both is neither the same nor worse
//
// A row whose machine code is the same in both runs (is_same_code) has only its verdict compared: other differences are
// noise, or the harness. Its times are SAME, and show the noise of the others.
//
// Rows and metrics that only `before` has are MISSING, unless `after` is no complete run; rows whose cases another seed
// chose are compared by their variant alone.
Comparison compare(const Measured& before, const Measured& after, const CompareOptions& options = {});

enum class Outcome : uint8_t { same, regressed, inconclusive };
std::string_view name(Outcome outcome);  // "SAME", …

// regressed: something regressed or is missing. inconclusive: nothing did, but a line is inconclusive, a row fails in
// both runs, so that nothing of it can be compared, there is no line, or a run is not complete.
Outcome outcome(const Comparison& comparison);

}  // namespace assay::comparison
