// The summary as plain text: a line per op and dtype, how fast the fastest variants are (when a run timed them), then
// what fails and how to replay it, then the outcome, so that the last lines on the screen are the ones that matter.
#include "harness/report/console.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/report/performance.h"
#include "harness/report/summary.h"
#include "harness/report/text.h"

namespace assay {
namespace {

constexpr size_t kColumns = 100;
constexpr size_t kOthersNamed = 4;   // case lines of a group besides the one shown in full
constexpr size_t kDetailLines = 12;  // of one failure's detail; the report files have all of it

// The number of columns that UTF-8 text takes, counting every code point as one.
size_t width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// The longest prefix of at most `columns` code points.
std::string_view prefix(std::string_view text, size_t columns) {
  size_t end = 0;
  for (; end < text.size(); ++end)
    if ((text[end] & 0xC0) != 0x80 && columns-- == 0) break;
  return text.substr(0, end);
}

std::string cut(std::string_view text, size_t columns) {
  return width(text) <= columns ? std::string(text) : std::string(prefix(text, columns - 1)) + "…";
}

// Breaks text at blanks (anywhere, when a word is too long) and indents every line.
std::string wrapped(std::string_view text, size_t indent) {
  std::string out;
  size_t lines = 0;
  while (!text.empty()) {
    if (++lines > kDetailLines) return out + std::string(indent, ' ') + "…\n";
    std::string_view line = prefix(first_line(text), kColumns - indent);
    const bool broken = line.size() < first_line(text).size();
    if (const size_t blank = line.rfind(' '); broken && blank != std::string_view::npos && blank > 0)
      line = line.substr(0, blank);
    out += std::string(indent, ' ') + std::string(line) + "\n";
    text.remove_prefix(line.size());
    if (!text.empty() && (text[0] == '\n' || (broken && text[0] == ' '))) text.remove_prefix(1);
  }
  return out;
}

std::string ratio(double value) { return value != value ? "-" : fmt::format("{:.3g}", value); }

// "MISMATCH 2, CRASH 1" for the kinds that `wanted` picks.
template <class Wanted>
std::string counts_text(const VerdictCounts& counts, Wanted wanted) {
  std::string text;
  for (const auto& [kind, count] : counts)
    if (wanted(kind)) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name(kind), count);
  return text;
}

int64_t passes(const VerdictCounts& counts) {
  const auto found = counts.find(Kind::pass);
  return found == counts.end() ? 0 : found->second;
}

// The verdicts besides PASS, and how many elements were right with either of two values.
std::string remarks(const OpSummary& op) {
  std::string text = counts_text(op.verdicts, [](Kind kind) { return kind != Kind::pass; });
  if (op.either_way > 0) text += fmt::format("{}either way {}", text.empty() ? "" : ", ", op.either_way);
  return text;
}

std::string op_table(const std::vector<OpSummary>& ops) {
  std::string text = "                                                        error / budget\n";
  text += fmt::format("{:<28} {:<5} {:>6} {:>6}  {:>8} {:>8} {:>8}  {}\n", "op", "dtype", "cases", "passed", "median",
                      "99%", "worst", "other verdicts");
  for (const OpSummary& op : ops) {
    const std::string line =
        fmt::format("{:<28} {:<5} {:>6} {:>6}  {:>8} {:>8} {:>8}  {}", cut(printable(op.op), 28), name(op.dtype),
                    op.cases, passes(op.verdicts), ratio(op.median), ratio(op.p99), ratio(op.worst), remarks(op));
    text += cut(line, kColumns);
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

// How near the fastest variants come to what bounds them, and how they compare with a vendor's.
std::string best_table(const Report& report) {
  const std::vector<TimedRow> rows = timed_rows(report);
  const std::vector<const TimedRow*> best = best_of_ops(rows);
  if (best.empty()) return "";
  std::string text = "\nThe fastest variant in the largest case of each op and dtype:\n";
  text += fmt::format("{:<28} {:<5} {:<22} {:>7}  {:<22} {:>8}\n", "op", "dtype", "variant", "reaches", "of its roof",
                      "speedup");
  for (const TimedRow* timed : best) {
    const FigureValues& figures = timed->row->figures;
    const std::string reaches = figures.has("of_roof") ? fmt::format("{:.0f}%", 100 * figures["of_roof"]) : "-";
    const std::string speedup = figures.has("speedup") ? fmt::format("{:.2f}x", figures["speedup"]) : "-";
    text += fmt::format("{:<28} {:<5} {:<22} {:>7}  {:<22} {:>8}\n", cut(printable(timed->row->c.op), 28),
                        name(timed->row->c.dtype), cut(printable(timed->row->c.variant), 22), reaches,
                        cut(printable(timed->row->timing->roof), 22), speedup);
  }
  return text;
}

std::string worst_table(const std::vector<WorstElement>& elements) {
  if (elements.empty()) return "";
  std::string text = fmt::format("  {:<28} {:>16} {:>16} {:>14}\n", "worst elements", "got", "want", "error/budget");
  for (const WorstElement& worst : elements)
    text += fmt::format("  {:<28} {:>16} {:>16} {:>14}\n", cut(printable(worst.tensor + worst.index), 28),
                        fmt::format("{:.9g}", worst.got), fmt::format("{:.9g}", worst.want),
                        ratio(worst.error_over_budget));
  return text;
}

std::string group_text(const FailureGroup& group) {
  const ResultRow& shown = *group.rows.front();
  std::string text = fmt::format("{}  {}\n", name(shown.verdict), printable(shown.line()));
  if (!shown.shrunk_from.empty()) text += fmt::format("  shrunk from {}\n", printable(shown.shrunk_from));
  text += wrapped(printable(shown.detail), 2);
  text += worst_table(shown.worst);
  text += fmt::format("  replay: {}\n", printable(replay_command(shown)));
  size_t named = 0, more = 0;
  for (const ResultRow* row : group.rows) {
    if (row == &shown || row->line() == shown.shrunk_from) continue;
    if (named++ < kOthersNamed) {
      text += fmt::format("  also {}\n", printable(row->line()));
    } else {
      ++more;
    }
  }
  if (more > 0) text += fmt::format("  and {} more like it, in results.csv and report.html\n", more);
  return text;
}

}  // namespace

std::string summary_text(const Report& report) {
  std::string text = op_table(summarise_ops(report.rows)) + best_table(report);
  for (const FailureGroup& group : group_failures(report.rows)) text += "\n" + group_text(group);
  const Summary summary = summarise(report);
  text += "\n" + wrapped(fmt::format("{}: {}", name(summary.outcome), summary.headline), 0);
  text += wrapped(printable(fmt::format("suite {}, seed {}, device {}, {:.1f} s",
                                        report.info.suite.empty() ? "-" : report.info.suite, report.info.seed,
                                        report.info.device, report.info.seconds)),
                  0);
  return text;
}

}  // namespace assay
