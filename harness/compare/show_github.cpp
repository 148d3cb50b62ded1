// A comparison as annotations of GitHub Actions.
#include <fmt/format.h>

#include "harness/compare/show.h"
#include "harness/report/github.h"

namespace assay::comparison {
namespace {

std::string message_of(const Block& block) {
  const Line& line = block.first();
  std::string text = line.subject;
  for (const std::string& part : {change_text(line), values_text(line), line.why, line.again})
    if (!part.empty()) text += "\n" + part;
  if (block.lines.size() > 1) text += fmt::format("\nand {} more", block.lines.size() - 1);
  return text;
}

}  // namespace

std::string comparison_github(const Comparison& comparison) {
  std::string text;
  for (const Block& block : blocks_of(comparison)) {
    if (block.change > Change::failing) break;
    const std::string title = fmt::format("{} {} {}", name(block.change), block.first().variant, block.first().metric);
    text += fmt::format("::error title={}::{}\n", escaped_for_github(title, true),
                        escaped_for_github(message_of(block), false));
  }
  const int64_t open = comparison.count(Change::inconclusive);
  if (open > 0 || !comparison.notes.empty()) {
    std::string message = fmt::format("{} of {} lines are inconclusive", open, comparison.lines.size());
    for (const std::string& note : comparison.notes) message += "\n" + note;
    text += fmt::format("::warning title=COMPARISON::{}\n", escaped_for_github(message, false));
  }
  return text + escaped_for_github(headline(comparison), false) + "\n";
}

}  // namespace assay::comparison
