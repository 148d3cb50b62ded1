// Words for the largest changes.
#include "harness/compare/kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace assay::comparison {
namespace {

// Three significant digits, or as many more as a change takes to be seen: never 1 for what is not.
std::string factor_text(double ratio) {
  if (ratio >= 1000) return fmt::format("{:.0f}", ratio);
  std::string text;
  for (int digits = 3; digits <= 17; ++digits) {
    text = fmt::format("{:.{}g}", ratio, digits);
    if (text != "1" || ratio == 1) break;
  }
  return text;
}

std::string told_verdict(Change change) {
  return change == Change::regressed ? "fails where it passed"
         : change == Change::missing ? "is missing"
         : change == Change::failing ? "fails in both runs"
                                     : "passes where it failed";
}

// The words for the first line, whose effect is the largest; "up to" where others of the metric changed less.
std::string told(const Block& block) {
  const Line& line = block.first();
  if (line.metric == "verdict") return told_verdict(block.change);
  if (block.change == Change::missing) return "lacks " + line.metric;
  std::string noun = line.metric;
  std::ranges::replace(noun, '_', ' ');
  if (line.before == 0)
    return fmt::format("{} {} {}, none before", line.verb.empty() ? "has" : line.verb,
                       told_apart(line.after, line.before).first, noun);
  const Line& last = *block.lines.back();
  const std::string limit = last.after / last.before == line.after / line.before ? ""
                            : block.change == Change::improved                   ? "as little as "
                                                                                 : "up to ";
  const std::string factor = limit + factor_text(line.after / line.before);
  return line.verb.empty() ? fmt::format("has {} × the {}", factor, noun)
                           : fmt::format("{} {} × the {}", line.verb, factor, noun);
}

std::string ratios_beside(const Comparison& comparison, const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    std::string text;
    for (const Line& ratio : comparison.ratios)
      if (ratio.subject == block.first().subject && ratio.device == block.first().device)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", ratio.metric, values_text(ratio));
    if (!text.empty()) return text;
  }
  return "";
}

}  // namespace

std::vector<KernelChange> kernels_of(const Comparison& comparison) {
  std::vector<KernelChange> kernels;
  std::map<std::string, size_t> places;
  for (Block& block : blocks_of(comparison)) {
    if (block.change == Change::inconclusive || block.change == Change::added) continue;
    const std::string& variant = block.first().variant;
    const auto [found, is_new] = places.try_emplace(variant, kernels.size());
    if (is_new) kernels.push_back({.variant = variant, .changes = {}, .ratios = {}, .blocks = {}});
    kernels[found->second].blocks.push_back(std::move(block));
  }
  for (KernelChange& kernel : kernels) {
    std::set<Change> told_of;
    for (const Block& block : kernel.blocks)
      if (told_of.insert(block.change).second) kernel.changes += (kernel.changes.empty() ? "" : " and ") + told(block);
    kernel.ratios = ratios_beside(comparison, kernel.blocks);
  }
  return kernels;
}

std::string sentence(const KernelChange& kernel) { return plain(kernel.variant + " " + kernel.changes); }

}  // namespace assay::comparison
