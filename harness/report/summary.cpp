// Counts and order statistics over rows.
#include "harness/report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "harness/base/scanner.h"
#include "harness/report/text.h"

namespace assay {
namespace {

// The element of rank ceil(q n) of sorted numbers.
double nearest_rank(const std::vector<double>& sorted, double q) {
  const auto rank = static_cast<size_t>(std::ceil(q * static_cast<double>(sorted.size())));
  return sorted[std::max<size_t>(rank, 1) - 1];
}

struct OpRows {
  OpSummary summary;
  std::vector<double> errors;
};

void add(OpRows& op, const ResultRow& row) {
  ++op.summary.verdicts[row.verdict];
  if (!is_case(row)) return;
  ++op.summary.cases;
  op.summary.either_way += static_cast<int64_t>(row.figures.or_zero("either_way"));
  const double error = row.figures["error_over_budget"];
  if (std::isnan(error)) return;
  if (op.errors.empty() || error > op.summary.worst) {
    op.summary.worst = error;
    op.summary.worst_row = &row;
  }
  op.errors.push_back(error);
}

OpSummary finish(OpRows op) {
  std::sort(op.errors.begin(), op.errors.end());
  op.summary.compared = static_cast<int64_t>(op.errors.size());
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  op.summary.median = op.errors.empty() ? nothing : nearest_rank(op.errors, 0.5);
  op.summary.p99 = op.errors.empty() ? nothing : nearest_rank(op.errors, 0.99);
  if (op.errors.empty()) op.summary.worst = nothing;
  return std::move(op.summary);
}

// A summary for each op and dtype, and for each of what `variant_of` gives of their rows.
template <class VariantOf>
std::vector<OpSummary> summaries(const std::vector<ResultRow>& rows, VariantOf variant_of) {
  std::map<std::tuple<std::string, std::string, DType>, OpRows> ops;
  for (const ResultRow& row : rows)
    if (row.shrunk_from.empty()) add(ops[{row.c.op, variant_of(row), row.c.dtype}], row);
  std::vector<OpSummary> out;
  for (auto& [key, op] : ops) {
    std::tie(op.summary.op, op.summary.variant, op.summary.dtype) = key;
    out.push_back(finish(std::move(op)));
  }
  return out;
}

// Why nothing ran, as the first case reports: one requirement that nothing meets is the usual reason.
std::string first_reason(const std::vector<ResultRow>& rows) {
  for (const ResultRow& row : rows)
    if (is_case(row) && !row.detail.empty())
      return fmt::format("; the first was {}: {}", name(row.verdict), row.detail);
  return "";
}

// A reason without what differs from case to case.
std::string alike(std::string_view why) {
  std::string text;
  for (const char c : why.substr(0, why.find(';')))
    if (!is_digit(c)) text += c;
  return text;
}

// Where there are more shards than cases, some have none; the whole run has, or it would have been refused.
bool is_empty_shard(const Report& report) { return !report.info.shard.empty() && report.rows.empty(); }

std::string headline_of(const Report& report, const Summary& summary) {
  const int64_t failed = failures(summary.verdicts);
  const auto count_of = [&](Kind kind) {
    const auto found = summary.verdicts.find(kind);
    return found == summary.verdicts.end() ? 0 : found->second;
  };
  const int64_t mistrusted = count_of(Kind::mistrusted), passed = count_of(Kind::pass);
  std::string text;
  if (failed > mistrusted) text = fmt::format("{} of {} failed", failed - mistrusted, plural(summary.cases, "case"));
  if (mistrusted > 0)
    text += fmt::format("{}{} could not have failed", text.empty() ? "" : ", and ", plural(mistrusted, "test"));
  if (is_empty_shard(report)) return fmt::format("shard {} has no case", report.info.shard);
  if (failed == 0 && passed == 0) text = "no case was run to a verdict of right or wrong" + first_reason(report.rows);
  if (failed == 0 && summary.outcome == Outcome::failed)
    text = "only shrunk failures are here, without their originals";
  if (summary.outcome != Outcome::failed && passed > 0)
    text = fmt::format("{} passed, none failed", plural(passed, "case"));
  if (const int64_t skipped = count_of(Kind::skipped); skipped > 0 && failed + passed > 0)
    text = fmt::format("{} of {} not judged; {}", skipped, plural(summary.cases, "case"), text);
  if (const std::string incomplete = incomplete_text(report); !incomplete.empty()) text += "; " + incomplete;
  return text;
}

}  // namespace

bool is_case(const ResultRow& row) { return row.shrunk_from.empty() && row.verdict != Kind::mistrusted; }

std::string incomplete_text(const Report& report) {
  const RunInfo& info = report.info;
  if (is_complete(info)) return "";
  const auto cases = std::count_if(report.rows.begin(), report.rows.end(), is_case);
  if (info.status.starts_with(kNotWritten)) return "the report was " + info.status;
  const bool plan_known = info.cases_planned > 0;
  const std::string_view why = info.status == kRunning                   ? "it goes on, or was killed"
                               : info.status == "out of time"            ? "time ran out"
                               : info.status.starts_with(kShardsMissing) ? std::string_view(info.status)
                                                                         : "interrupted";
  return fmt::format(
      "incomplete: {}, {}",
      plan_known ? fmt::format("{} of {}", cases, plural(info.cases_planned, "case")) : plural(cases, "case"), why);
}

int64_t failures(const VerdictCounts& counts) {
  int64_t sum = 0;
  for (const auto& [kind, count] : counts) sum += is_failure(kind) ? count : 0;
  return sum;
}

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::passed:
      return "PASSED";
    case Outcome::failed:
      return "FAILED";
    case Outcome::inconclusive:
      return "INCONCLUSIVE";
  }
  return "";
}

std::vector<OpSummary> summarise_ops(const std::vector<ResultRow>& rows) {
  return summaries(rows, [](const ResultRow&) { return ""; });
}

std::vector<OpSummary> summarise_variants(const std::vector<ResultRow>& rows) {
  return summaries(rows, [](const ResultRow& row) { return row.c.variant; });
}

std::vector<NotJudged> not_judged(const std::vector<ResultRow>& rows) {
  const auto stream = [](const ResultRow& row) { return std::tuple(row.id(), row.c.dtype, row.device); };
  std::set<std::tuple<std::string, DType, std::string>> judged;
  for (const ResultRow& row : rows)
    if (row.verdict == Kind::pass || row.verdict == Kind::rejected || is_failure(row.verdict))
      judged.insert(stream(row));
  std::map<std::pair<Kind, std::string>, size_t> known;
  std::vector<NotJudged> reasons;
  for (const ResultRow& row : rows) {
    const bool unsupported = row.verdict == Kind::unsupported && !judged.contains(stream(row));
    if (!is_case(row) || (row.verdict != Kind::skipped && !unsupported)) continue;
    const auto [at, is_new] = known.try_emplace({row.verdict, alike(row.detail)}, reasons.size());
    if (is_new) reasons.push_back({row.verdict, row.detail, 0});
    ++reasons[at->second].cases;
  }
  std::stable_sort(reasons.begin(), reasons.end(), [](auto& a, auto& b) { return a.cases > b.cases; });
  return reasons;
}

std::vector<const ResultRow*> largest_counted(const std::vector<ResultRow>& rows) {
  std::map<std::tuple<std::string, std::string, DType, std::string>, const ResultRow*> largest;
  for (const ResultRow& row : rows) {
    if (!row.statistics || row.statistics->kernels.empty() || !is_case(row)) continue;
    const ResultRow*& shown = largest[{row.c.op, row.c.variant, row.c.dtype, row.device}];
    if (!shown || row.statistics->compulsory_bytes > shown->statistics->compulsory_bytes) shown = &row;
  }
  std::vector<const ResultRow*> in_order;
  for (const auto& [key, row] : largest) in_order.push_back(row);
  return in_order;
}

Summary summarise(const Report& report) {
  Summary summary;
  for (const ResultRow& row : report.rows) {
    if (!row.shrunk_from.empty()) continue;
    ++summary.verdicts[row.verdict];
    summary.cases += is_case(row) ? 1 : 0;
  }
  const auto failed = [](const ResultRow& row) { return is_failure(row.verdict); };
  if (std::any_of(report.rows.begin(), report.rows.end(), failed)) {
    summary.outcome = Outcome::failed;
  } else if (is_complete(report.info) && (summary.verdicts.count(Kind::pass) > 0 || is_empty_shard(report))) {
    summary.outcome = Outcome::passed;
  }
  summary.headline = headline_of(report, summary);
  return summary;
}

std::optional<Gap> gap_of(const Report& report) {
  if (std::string why = incomplete_text(report); !why.empty()) return Gap{"INCOMPLETE", std::move(why)};
  Summary summary = summarise(report);
  if (summary.outcome != Outcome::inconclusive) return std::nullopt;
  return Gap{std::string(name(summary.outcome)), std::move(summary.headline)};
}

}  // namespace assay
