// Text of a kernel's coverage: totals, uncovered lines, and the cases that were aimed at them.
#include "harness/report/coverage_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/base/printable.h"
#include "harness/report/text.h"

namespace assay {

std::string place_of(const UncoveredLine& line) {
  std::error_code none;
  const std::string near = std::filesystem::proximate(line.file, none).string();
  return fmt::format("{}:{}", none || near.starts_with("..") ? line.file : near, line.line);
}

std::string words_of(const UncoveredLine& line) {
  if (line.runs == 0) return "never ran";
  return fmt::format("{} of {} ways, in {} {}", line.ways_taken, line.ways, line.runs,
                     line.runs == 1 ? "pass" : "passes");
}

std::string aimed_words_of(const UncoveredLine& line) {
  if (!line.reached_by.empty()) return "reached by " + line.reached_by;
  if (line.tried.empty()) return "";
  return (line.decided_by.empty() ? "" : "decided by " + line.decided_by + "; ") + "not reached by other values of " +
         line.tried;
}

std::string aimed_line(const Coverage& coverage) {
  if (coverage.aimed == 0) return "";
  const auto reached =
      std::ranges::count_if(coverage.uncovered, [](const auto& line) { return !line.reached_by.empty(); });
  return fmt::format("{} further {} aimed at {}: {} {} reached{}", coverage.aimed,
                     coverage.aimed == 1 ? "case was" : "cases were",
                     coverage.uncovered.size() == 1 ? "this line" : "these lines", reached,
                     reached == 1 ? "was" : "were", reached == 0 ? "" : "; a suite that pins those cases covers more");
}

std::string coverage_text(const Coverage& coverage, size_t lines_max) {
  std::string text = fmt::format("Coverage: {} of {} lines ran, {} of {} ways of branches were taken.\n",
                                 coverage.lines_run, coverage.lines, coverage.ways_taken, coverage.ways);
  size_t widest = 0;
  for (const UncoveredLine& line : coverage.uncovered) widest = std::max(widest, place_of(line).size());
  for (size_t i = 0; i < std::min(lines_max, coverage.uncovered.size()); ++i) {
    const UncoveredLine& line = coverage.uncovered[i];
    text += fmt::format("  {:{}}  {}: {}\n", printable(place_of(line)), widest, words_of(line), printable(line.text));
    if (!aimed_words_of(line).empty()) text += fmt::format("    {}\n", printable(aimed_words_of(line)));
  }
  if (coverage.uncovered.size() > lines_max)
    text += fmt::format("  and {} more, in report.html and run.json\n", coverage.uncovered.size() - lines_max);
  if (coverage.aimed > 0) text += aimed_line(coverage) + ".\n";
  return text;
}

}  // namespace assay
