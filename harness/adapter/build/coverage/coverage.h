// Which lines of the user's kernels ran, and which ways of their branches were taken, by all cases of this process and
// its workers: counted by g++ in modules that were compiled for it, read with its gcov.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "harness/base/error.h"

namespace assay {

// A line that never ran, or of whose branches some ways were never taken; of a function that never runs, its first.
struct UncoveredLine {
  std::string file;      // absolute
  int64_t line = 0;      // from 1
  std::string text;      // without the blanks around it
  std::string function;  // the innermost one around it, as the compiler writes it; empty: none
  int64_t runs = 0;      // how often threads passed it
  int64_t ways = 0;      // of its branches; 0: it has none that are asked about, or never ran
  int64_t ways_taken = 0;
  // After the suite, where further cases were aimed at such lines:
  std::string reached_by = {};  // the last of them that ran the line, or took one more of its ways
  std::string tried = {};       // "cols, block": what these cases went through; empty: none was aimed at it
  std::string decided_by =
      {};  // "cols, 4096": names and numbers in the innermost condition around it; empty: not known
  auto operator<=>(const UncoveredLine&) const = default;
};

// Counts of all instantiations of a template are added up, so that a branch that bf16 alone takes is taken; functions
// that never run count as one line.
struct Coverage {
  int64_t lines = 0, lines_run = 0, ways = 0, ways_taken = 0;
  std::vector<UncoveredLine> uncovered = {};  // by file and line
  int64_t aimed = 0;                          // further cases that were aimed at these; nothing here counts them
  bool operator==(const Coverage&) const = default;
};

// Why the lines of kernels cannot be counted here: without g++ or its gcov. Nothing where they can.
std::optional<Error> why_nothing_is_counted();

// The words that a kernel is compiled with for its lines to be counted. `root` is the folder that holds harness/.
std::vector<std::string> counting_flags(const std::string& root);

// Reads the counts of all cases so far, in files of the user and of kernels/: those of the compiler, of the executor
// and of what was generated are left out. An error where gcov fails.
Result<Coverage> coverage_of_runs();

// The same from what `gcov -j -t -b` prints; `is_asked` says of which files, by their paths.
Coverage coverage_in(const nlohmann::json& gcov, const std::function<bool(const std::string& path)>& is_asked);

void to_json(nlohmann::json& json, const Coverage& coverage);
void from_json(const nlohmann::json& json, Coverage& coverage);

}  // namespace assay
