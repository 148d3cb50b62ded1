// A comparison on a terminal.
#include <fmt/format.h>

#include "harness/compare/kernels.h"
#include "harness/report/layout.h"

namespace assay::comparison {
namespace {

constexpr size_t kLinesOfBlock = 3;  // the largest effects; the others are counted

std::string joined(std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts)
    if (!part.empty()) text += (text.empty() ? "" : "  ") + part;
  return text;
}

// The heading, then figures and case of each line. Case lines are for copying: they are never broken.
std::string block_text(const Block& block, const Terminal& terminal) {
  const Line& first = block.first();
  const std::string verdict(name(block.change));
  const std::string of = joined({plain(first.variant), first.metric == "verdict" ? "" : plain(first.metric),
                                 first.device.empty() ? "" : "on " + plain(first.device)});
  std::string text = terminal.in(words_of(block.change).tone, verdict) + "  ";
  if (verdict.size() + 2 + width(of) <= terminal.columns) {
    text += of + "\n";
  } else {
    text += "\n" + wrapped(of, 2, terminal.columns);
  }
  for (size_t i = 0; i < block.lines.size() && i < kLinesOfBlock; ++i) {
    const Line& line = *block.lines[i];
    const std::string figures = joined({change_text(line), values_text(line), plain(line.why)});
    if (!figures.empty()) text += wrapped(figures, 2, terminal.columns);
    if (line.subject != line.variant) text += "    " + plain(line.subject) + "\n";
  }
  if (block.lines.size() > kLinesOfBlock) text += fmt::format("  and {} more\n", block.lines.size() - kLinesOfBlock);
  return text;
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const Terminal& terminal) {
  std::string text =
      wrapped("BASE " + plain(run_text(comparison.before_path, comparison.before)), 0, terminal.columns) +
      wrapped("NEW  " + plain(run_text(comparison.after_path, comparison.after)), 0, terminal.columns) + "\n";
  const std::vector<KernelChange> kernels = kernels_of(comparison);
  for (const KernelChange& kernel : kernels) {
    text += wrapped(sentence(kernel), 0, terminal.columns);
    if (!kernel.ratios.empty()) text += wrapped("note: " + plain(kernel.ratios), 2, terminal.columns);
  }
  if (!kernels.empty()) text += "\n";
  const std::vector<Block> blocks = blocks_of(comparison);
  for (const Block& block : blocks) text += block_text(block, terminal);
  if (!blocks.empty()) text += "\n";
  for (const std::string& note : comparison.notes) text += wrapped("note: " + plain(note), 0, terminal.columns);
  for (const Line& line : comparison.lines) {
    if (line.change != Change::regressed || line.again.empty()) continue;
    text += "to see the first again: " + plain(line.again) + "\n";
    break;
  }
  const Tone tone = outcome(comparison) == Outcome::same        ? Tone::good
                    : outcome(comparison) == Outcome::regressed ? Tone::bad
                                                                : Tone::idle;
  return text + terminal.in(tone, headline(comparison)) + "\n";
}

}  // namespace assay::comparison
