// A comparison as a pull request's comment.
#include <fmt/format.h>

#include <algorithm>

#include "harness/compare/kernels.h"

namespace assay::comparison {
namespace {

// The text for a cell of a table: markup, links, mentions and line ends have no effect.
std::string cell(const std::string& text) {
  std::string out;
  for (const char c : plain(text)) {
    if (std::string_view("\\`*_{}[]<>()#|~@&!").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string row_of(const Block& block) {
  const Line& line = block.first();
  const std::string others = block.lines.size() > 1 ? fmt::format(" and {} more", block.lines.size() - 1) : "";
  const std::string subject = line.subject == line.variant ? "" : line.subject;
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", name(block.change), cell(line.variant),
                     cell(line.metric + (line.device.empty() ? "" : " on " + line.device)), cell(values_text(line)),
                     cell(change_text(line) + (line.why.empty() ? "" : " " + line.why)), cell(subject + others));
}

std::string table_of(const std::vector<Block>& blocks) {
  std::string text = "| | what | metric | base -> new | change | case |\n|---|---|---|---|---|---|\n";
  for (size_t i = 0; i < std::min(blocks.size(), kMarkdownRows); ++i) text += row_of(blocks[i]);
  if (blocks.size() > kMarkdownRows)
    text += fmt::format("\n{} more rows are not shown.\n", blocks.size() - kMarkdownRows);
  return text;
}

std::string list_of(const std::vector<KernelChange>& kernels) {
  std::string text;
  for (size_t i = 0; i < std::min(kernels.size(), kMarkdownKernels); ++i) {
    const std::string& ratios = kernels[i].ratios;
    text += fmt::format("- {}{}\n", cell(sentence(kernels[i])), ratios.empty() ? "" : cell(" (" + ratios + ")"));
  }
  if (kernels.size() > kMarkdownKernels)
    text += fmt::format("- {} more kernels are not shown\n", kernels.size() - kMarkdownKernels);
  return text.empty() ? text : text + "\n";
}

}  // namespace

std::string comparison_markdown(const Comparison& comparison) {
  std::vector<Block> open, others;
  for (Block& block : blocks_of(comparison))
    (block.change <= Change::failing ? open : others).push_back(std::move(block));
  std::string text = fmt::format("### Assay: {}\n\n", headline(comparison)) + list_of(kernels_of(comparison));
  if (!open.empty()) text += table_of(open) + "\n";
  if (!others.empty())
    text += fmt::format("<details><summary>inconclusive, improved and new</summary>\n\n{}\n</details>\n\n",
                        table_of(others));
  for (const std::string& note : comparison.notes) text += fmt::format("- {}\n", cell(note));
  text += fmt::format("\nBase: {}<br>New: {}\n", cell(run_text(comparison.before_path, comparison.before)),
                      cell(run_text(comparison.after_path, comparison.after)));
  return text;
}

}  // namespace assay::comparison
