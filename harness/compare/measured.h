// The measurements of one run, from whichever program: the subject of a comparison.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/compare/statistics.h"
#include "harness/report/report.h"

namespace assay::comparison {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// One metric of one subject.
struct Series {
  std::string unit;  // "ns"; "": a count or a quotient
  Better better = Better::lower;
  bool exact = false;     // a value that does not vary, alone in each process; else samples
  bool is_ratio = false;  // a quotient of totals or a largest of them: shown beside the totals, decides nothing
  std::string verb = {};  // what a kernel does with it: it "moves" bytes, "takes" time; "": no word for it
  Samples samples;        // a time in ns, for each process that measured
};

// A case of a variant on a device, or a benchmark of Google Benchmark.
struct Subject {
  std::string variant;  // "op/variant"; the benchmark's name
  std::string dtype;    // "": not known
  std::string name;     // the case line; the benchmark's name
  std::string device;   // "": not known
  std::string gpu;      // "NVIDIA H200"; "": not known
  std::string code;     // what its machine code is known by; "": not known
  std::string failure;  // its verdict if that is one, "MISMATCH: y: 3 of 4 elements are wrong"; "": none
  bool judged = true;   // false: SKIPPED and the like
  double error_over_budget = kUnknown;
  std::string source;                    // the file that its kernel is written in; "": not known
  std::string again;                     // the command that runs it again; "": not known
  std::map<std::string, Series> series;  // by the metric's name
};

struct Measured {
  std::string path;
  RunInfo info;                             // as far as it is known
  std::map<std::string, Subject> subjects;  // by name and device
};

// Whether both are known to be runs of the same machine code, host part and launches included, on the same GPU.
inline bool is_same_code(const Subject& a, const Subject& b) {
  return !a.code.empty() && a.code == b.code && a.gpu == b.gpu;
}

inline constexpr const char* kBytes = "bytes";
inline constexpr const char* kTime = "time";
inline constexpr const char* kCycles = "cycles";

// Reads a run: a folder or a file of result rows that `assay check` or `assay bench` wrote, a baseline (baseline.h), or
// JSON of Google Benchmark. The error says what is wrong with which file, where, and what to do.
Result<Measured> read_measured(const std::string& path);

// Adds what the row was measured to be; a row that is there already was measured by another process.
Result<void> add_row(Measured& measured, const ResultRow& row);

// The benchmarks of a file that a program with Google Benchmark wrote with --benchmark_format=json. A repetition is a
// sample. The time is the wall's where the name says so (/real_time, /manual_time), else both it and the CPU's are.
Result<Measured> google_benchmark_from(const std::string& text);

}  // namespace assay::comparison
