// A comparison as annotations of GitHub Actions.
#include <fmt/format.h>

#include "harness/compare/kernels.h"
#include "harness/report/github.h"

namespace assay::comparison {
namespace {

std::string details_of(const Block& block) {
  const Line& line = block.first();
  std::string text = fmt::format("{} {}\n{}", name(block.change), line.metric, line.subject);
  for (const std::string& part : {change_text(line), values_text(line), line.why, line.again})
    if (!part.empty()) text += "\n" + part;
  if (block.lines.size() > 1) text += fmt::format("\nand {} more", block.lines.size() - 1);
  return text;
}

// GitHub shows ten annotations of a step, so that a kernel has one.
std::string annotation(const KernelChange& kernel, const std::string& run_folder) {
  const Line& first = kernel.blocks.front().first();
  const std::string title = fmt::format("{} {}", name(kernel.blocks.front().change), sentence(kernel));
  std::string message = kernel.ratios.empty() ? "" : kernel.ratios + "\n";
  for (const Block& block : kernel.blocks)
    if (block.change <= Change::failing) message += details_of(block) + "\n";
  message.pop_back();
  const std::string variant = first.variant.substr(first.variant.find('/') + 1);
  return fmt::format("::error {}title={}::{}\n",
                     place_for_github(source_places(first.why, first.source, variant), run_folder),
                     escaped_for_github(title, true), escaped_for_github(message, false));
}

}  // namespace

std::string comparison_github(const Comparison& comparison) {
  std::string text;
  for (const KernelChange& kernel : kernels_of(comparison))
    if (kernel.is_open()) text += annotation(kernel, comparison.after.folder);
  const int64_t open = comparison.count(Change::inconclusive);
  if (open > 0 || !comparison.notes.empty()) {
    std::string message = fmt::format("{} of {} lines are inconclusive", open, comparison.lines.size());
    for (const std::string& note : comparison.notes) message += "\n" + note;
    text += fmt::format("::warning title=COMPARISON::{}\n", escaped_for_github(message, false));
  }
  return text + escaped_for_github(headline(comparison), false) + "\n";
}

}  // namespace assay::comparison
