// The summary as plain text: a line per op and dtype, how fast the fastest variants are (when a run timed them), then
// what fails and how to replay it, then the outcome, so that the last lines on the screen are the ones that matter.
#include "harness/report/console.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/base/process_output.h"
#include "harness/report/causes.h"
#include "harness/report/layout.h"
#include "harness/report/performance.h"
#include "harness/report/summary.h"
#include "harness/report/text.h"

namespace assay {
namespace {

constexpr size_t kReasonsShown = 6;
constexpr size_t kWorstShown = 2;     // elements of a cause: its detail names one, and reports have more
constexpr size_t kTableColumns = 84;  // below, a table's rows are written one figure after the other

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

Tone tone_of(Outcome outcome) {
  return outcome == Outcome::passed ? Tone::good : outcome == Outcome::failed ? Tone::bad : Tone::idle;
}

std::string op_table(const std::vector<OpSummary>& ops, const Terminal& terminal) {
  if (terminal.columns < kTableColumns) {
    std::string text;
    for (const OpSummary& op : ops) {
      const std::string others = remarks(op);
      text += wrapped(fmt::format("{} {}", printable(op.op), name(op.dtype)), 0, terminal.columns) +
              wrapped(fmt::format("{} of {} passed, error/budget {} at worst{}{}", passes(op.verdicts), op.cases,
                                  ratio(op.worst), others.empty() ? "" : "; ", others),
                      2, terminal.columns);
    }
    return text;
  }
  const size_t wide = terminal.columns < 100 ? 18 : 28;
  std::string text = fmt::format("{:{}}error / budget\n", "", wide + 28);
  text += fmt::format("{:<{}} {:<5} {:>6} {:>6}  {:>8} {:>8} {:>8}  {}\n", "op", wide, "dtype", "cases", "passed",
                      "median", "99%", "worst", "other verdicts");
  for (const OpSummary& op : ops) {
    const std::string line = fmt::format("{:<{}} {:<5} {:>6} {:>6}  {:>8} {:>8} {:>8}  {}", cut(printable(op.op), wide),
                                         wide, name(op.dtype), op.cases, passes(op.verdicts), ratio(op.median),
                                         ratio(op.p99), ratio(op.worst), remarks(op));
    text += cut(line, terminal.columns);
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

// Names the ops that no library computes: their mark is the roof.
std::string without_library(const std::vector<const TimedRow*>& rows, const Terminal& terminal) {
  std::set<std::string> ops;
  for (const TimedRow* timed : rows)
    if (!timed->row->timing->no_library.empty()) ops.insert(timed->row->c.op);
  return ops.empty() ? ""
                     : wrapped(fmt::format("No library computes {}: the roof is the mark.", fmt::join(ops, ", ")), 0,
                               terminal.columns);
}

// How near the fastest variants come to what bounds them, and how they compare with a vendor's.
std::string best_table(const Report& report, const Terminal& terminal) {
  const std::vector<TimedRow> rows = timed_rows(report);
  const std::vector<const TimedRow*> best = best_of_ops(rows);
  if (best.empty()) return "";
  const bool narrow = terminal.columns < kTableColumns;
  std::string text =
      "\n" + wrapped("The fastest variant in the largest case of each op and dtype:", 0, terminal.columns);
  if (!narrow)
    text += fmt::format("{:<28} {:<5} {:<22} {:>7}  {:<22} {:>8}\n", "op", "dtype", "variant", "reaches", "of its roof",
                        "speedup");
  for (const TimedRow* timed : best) {
    const FigureValues& figures = timed->row->figures;
    const std::string reaches = figures.has("of_roof") ? fmt::format("{:.0f}%", 100 * figures["of_roof"]) : "-";
    const std::string speedup = figures.has("speedup") ? fmt::format("{:.2f}x", figures["speedup"]) : "-";
    const std::string op = printable(timed->row->c.op), variant = printable(timed->row->c.variant),
                      roof = printable(timed->row->timing->roof);
    const auto dtype = name(timed->row->c.dtype);
    text +=
        narrow
            ? wrapped(fmt::format("{} {}: {} reaches {} of {}, speedup {}", op, dtype, variant, reaches, roof, speedup),
                      0, terminal.columns)
            : fmt::format("{:<28} {:<5} {:<22} {:>7}  {:<22} {:>8}\n", cut(op, 28), dtype, cut(variant, 22), reaches,
                          cut(roof, 22), speedup);
  }
  return text + without_library(best, terminal);
}

std::string worst_table(const std::vector<WorstElement>& elements, const Terminal& terminal) {
  if (elements.empty()) return "";
  const bool narrow = terminal.columns < kTableColumns;
  std::string text =
      narrow ? "  worst elements\n"
             : fmt::format("  {:<28} {:>16} {:>16} {:>14}\n", "worst elements", "got", "want", "error/budget");
  for (size_t i = 0; i < std::min(elements.size(), kWorstShown); ++i) {
    const WorstElement& worst = elements[i];
    const std::string at = printable(worst.tensor + worst.index), error = ratio(worst.error_over_budget);
    text += narrow
                ? wrapped(fmt::format("{} got {:.9g}, want {:.9g}, error/budget {}", at, worst.got, worst.want, error),
                          4, terminal.columns)
                : fmt::format("  {:<28} {:>16} {:>16} {:>14}\n", cut(at, 28), fmt::format("{:.9g}", worst.got),
                              fmt::format("{:.9g}", worst.want), error);
  }
  return text;
}

// A bug in three lines: verdict, detail and replay command.
std::string brief_text(Kind kind, const std::string& detail, const ResultRow& row, const Terminal& terminal) {
  const size_t left = terminal.columns - std::min(terminal.columns, name(kind).size() + 2);
  return fmt::format("{}  {}\n  {}\n  replay: {}\n", terminal.verdict(kind), cut(printable(first_line(detail)), left),
                     printable(row.line()), printable(replay_command(row)));
}

std::string cause_text(const Cause& cause, const Terminal& terminal) {
  const ResultRow& shown = *cause.rows.front();
  std::string text = fmt::format("{}  {}\n", terminal.verdict(cause.kind), printable(shown.line()));
  text += wrapped(printable(cause.detail), 2, terminal.columns);
  if (const double lines = shown.figures.or_zero("printed_lines"); lines > 0)
    text += wrapped(fmt::format("it printed {:.0f} line{}{}", lines, lines == 1 ? "" : "s",
                                shown.printed.empty() ? ": `assay replay` shows what"
                                                      : ", the last: " + printable(last_line(shown.printed))),
                    2, terminal.columns);
  for (const AlsoSeen& also : cause.also)
    text += cut(printable(fmt::format("  seen on {} as {}: {}", also.device, name(also.kind), first_line(also.detail))),
                terminal.columns) +
            "\n";
  text += worst_table(shown.worst, terminal);
  if (!cause.shared.empty())
    text += wrapped(printable(cause.shared), 2, terminal.columns);
  else if (cause.cases > 1)
    text += wrapped(fmt::format("{} cases fail so: results.csv has them", cause.cases), 2, terminal.columns);
  return text + fmt::format("  replay: {}\n", printable(replay_command(shown)));
}

// A line for each reason, except one that the outcome gives.
std::string not_judged_text(const Report& report, const Summary& summary, const Terminal& terminal) {
  const std::vector<NotJudged> reasons = not_judged(report.rows);
  const bool nothing_judged = passes(summary.verdicts) + failures(summary.verdicts) == 0;
  if (nothing_judged && reasons.size() == 1) return "";
  std::string text;
  for (size_t i = 0; i < std::min(reasons.size(), kReasonsShown); ++i) {
    const auto& [kind, why, cases] = reasons[i];
    text +=
        wrapped(fmt::format("{} {} case{}: {}", name(kind), cases, cases == 1 ? "" : "s", printable(first_line(why))),
                0, terminal.columns, 4);
  }
  if (reasons.size() > kReasonsShown)
    text += fmt::format("and {} other reasons: results.csv has them\n", reasons.size() - kReasonsShown);
  return text.empty() ? "" : "\n" + text;
}

std::string outcome_text(const Summary& summary, const Terminal& terminal) {
  const std::string text = wrapped(fmt::format("{}: {}", name(summary.outcome), summary.headline), 0, terminal.columns);
  const size_t named = name(summary.outcome).size();
  return terminal.in(tone_of(summary.outcome), text.substr(0, named)) + text.substr(named);
}

}  // namespace

std::string brief_text(const ResultRow& row, const Terminal& terminal) {
  if (is_failure(row.verdict)) return brief_text(row.verdict, row.detail, row, terminal);
  return fmt::format("{}  {}\n", terminal.verdict(row.verdict), printable(row.line()));
}

std::string brief_summary_text(const Report& report, const Terminal& terminal) {
  std::string text;
  for (const Cause& cause : causes(report.rows))
    text += brief_text(cause.kind, cause.detail, *cause.rows.front(), terminal);
  return text + outcome_text(summarise(report), terminal);
}

std::string summary_text(const Report& report, const Terminal& terminal) {
  std::string text = op_table(summarise_ops(report.rows), terminal) + best_table(report, terminal);
  for (const Cause& cause : causes(report.rows)) text += "\n" + cause_text(cause, terminal);
  const Summary summary = summarise(report);
  text += not_judged_text(report, summary, terminal) + "\n" + outcome_text(summary, terminal);
  for (const std::string& sentence : report.info.scope)
    text += wrapped(printable("scope: " + sentence), 0, terminal.columns, 4);
  text += wrapped(printable(fmt::format("suite {}, seed {}, device {}, {:.1f} s",
                                        report.info.suite.empty() ? "-" : report.info.suite, report.info.seed,
                                        report.info.device, report.info.seconds)),
                  0, terminal.columns);
  return text;
}

}  // namespace assay
