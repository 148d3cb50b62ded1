// The parts that all outputs of a comparison share.
#include "harness/compare/show.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "harness/base/printable.h"

namespace assay::comparison {
namespace {

double percent(double ratio) { return 100 * (ratio - 1); }

// Times are read best in the unit that leaves one to three digits before the point.
std::pair<double, const char*> scale_of(double ns) {
  if (ns >= 1e9) return {1e9, "s"};
  if (ns >= 1e6) return {1e6, "ms"};
  if (ns >= 1e3) return {1e3, "µs"};
  return {1, "ns"};
}

std::string number_text(double x, int digits) {
  if (std::isnan(x)) return "-";
  return std::round(x) == x && std::fabs(x) < 1e15 ? fmt::format("{:.0f}", x) : fmt::format("{:.{}g}", x, digits);
}

}  // namespace

std::pair<std::string, std::string> told_apart(double a, double b) {
  constexpr int kDigits = 4, kAllDigits = 17;
  for (int digits = kDigits;; ++digits) {
    std::pair texts(number_text(a, digits), number_text(b, digits));
    if (a == b || texts.first != texts.second || digits == kAllDigits) return texts;
  }
}

std::vector<Block> blocks_of(const Comparison& comparison) {
  std::vector<Block> blocks;
  std::map<std::tuple<Change, std::string, std::string, std::string>, size_t> places;
  for (const Line& line : comparison.lines) {
    if (line.change == Change::same) continue;
    const auto [found, is_new] =
        places.try_emplace({line.change, line.variant, line.metric, line.device}, blocks.size());
    if (is_new) blocks.push_back({line.change, {}});
    blocks[found->second].lines.push_back(&line);
  }
  return blocks;
}

std::string plain(const std::string& text) {
  std::string line = printable(text);
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

std::string headline(const Comparison& comparison) {
  std::string text(name(outcome(comparison)));
  const char* separator = ": ";
  for (size_t i = 0; i < kChanges; ++i) {
    const auto change = static_cast<Change>(i);
    if (comparison.count(change) == 0) continue;
    text += fmt::format("{}{} {}", separator, comparison.count(change), words_of(change).counted);
    separator = ", ";
  }
  return comparison.lines.empty() ? text + ": nothing to compare" : text;
}

std::string change_text(const Line& line) {
  if (!std::isnan(line.low))
    return fmt::format("{:+.1f} % ({:+.1f} to {:+.1f})", percent(line.ratio), percent(line.low), percent(line.high));
  if (std::isnan(line.ratio)) return "";
  const bool rounds_away = line.ratio != 1 && std::fabs(percent(line.ratio)) < 0.05;
  return fmt::format(
      "{} %", rounds_away ? fmt::format("{:+.2g}", percent(line.ratio)) : fmt::format("{:+.1f}", percent(line.ratio)));
}

std::string values_text(const Line& line) {
  if (std::isnan(line.before)) return "";
  const auto [scale, unit] = line.unit == "ns" ? scale_of(line.before) : std::pair(1.0, line.unit.c_str());
  const auto [before, after] = told_apart(line.before / scale, line.after / scale);
  return fmt::format("{} -> {}{}{}", before, after, *unit ? " " : "", unit);
}

std::string run_text(const std::string& path, const RunInfo& info) {
  std::string text = path;
  if (!info.git_commit.empty()) text += ", commit " + info.git_commit.substr(0, 12);
  if (!info.started.empty()) text += ", " + info.started;
  const std::string machine = info.gpu ? info.gpu->name : info.host_cpu;
  return machine.empty() ? text : text + ", " + machine;
}

}  // namespace assay::comparison
