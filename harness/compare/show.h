// A comparison as text: for a terminal, for a pull request's comment, as annotations of GitHub Actions, as JSON.
#pragma once

#include <string>
#include <vector>

#include "harness/base/terminal.h"
#include "harness/compare/compare.h"

namespace assay::comparison {

// Lines of one change, variant and metric, which are shown together: largest effect first.
struct Block {
  Change change;
  std::vector<const Line*> lines;
  const Line& first() const { return *lines.front(); }
};
std::vector<Block> blocks_of(
    const Comparison& comparison);  // in the order of their first lines, without what is the same

// The text as printable() has it, on one line: names and messages come from others' files.
std::string plain(const std::string& text);

// "REGRESSED: 3 regressed, 1 missing, 190 the same".
std::string headline(const Comparison& comparison);
std::string change_text(const Line& line);  // "+5.2 % (+4.1 to +6.3)", "4 to 18", "0.21 to 0.83"; "" where it has none
std::string values_text(const Line& line);  // "12.3 -> 12.9 µs", told apart
// The values with four significant digits, or as many more as make differing values look different; a whole number in
// full; "-" for none.
std::pair<std::string, std::string> told_apart(double a, double b);
std::string run_text(const std::string& path, const RunInfo& info);  // path, commit, machine

// The text is as wide as the terminal: a sentence for each kernel (kernels.h), regressions first, the headline last.
std::string comparison_text(const Comparison& comparison, const Terminal& terminal = {});

// A list of the kernels, a table with a heading, the rest folded away; at most kMarkdownKernels and kMarkdownRows,
// because GitHub refuses comments of more than 65,536 characters. Nothing in a name can end a cell or begin markup.
std::string comparison_markdown(const Comparison& comparison);
inline constexpr size_t kMarkdownKernels = 30;
inline constexpr size_t kMarkdownRows = 60;

// An error for each kernel of which something regressed, is missing or fails in both runs, at its line where its source
// is known; a warning for all that is inconclusive.
std::string comparison_github(const Comparison& comparison);

// {"schema": 1, "outcome": …, "counts": {…}, "notes": […], "base": {…}, "new": {…}, "ratios": [those that differ],
// "lines": [all]}. A number that there is none of is left out.
std::string comparison_json(const Comparison& comparison);

}  // namespace assay::comparison
