// Gathers what report.html shows.
//
// The page must stay usable with tens of thousands of rows: cases are arrays instead of objects, an error map is one
// digit per cell (its step on the colour scale), and only the first kPicturesMax failures carry pictures.
#include "harness/report/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "harness/case/case.h"
#include "harness/op/registry.h"
#include "harness/report/audit.h"
#include "harness/report/page_number.h"
#include "harness/report/page_timings.h"
#include "harness/report/run_info.h"
#include "harness/report/summary.h"
#include "harness/report/text.h"

namespace assay {
namespace {

using nlohmann::json;

// Upper bounds of the colour scale's steps, as fractions of the budget; the seventh step is finite, the eighth is not.
constexpr std::array kLevels{0.1, 0.5, 1.0, 2.0, 10.0, 100.0};

json info_of(const RunInfo& info) {
  json out = to_json(info);
  out["seed"] = std::to_string(info.seed);  // 64 bits do not fit a number of JavaScript
  return out;
}

json verdicts_of(const VerdictCounts& counts) {
  json out = json::array();
  for (const auto& [kind, count] : counts)
    out.push_back({{"verdict", name(kind)}, {"failure", is_failure(kind)}, {"count", count}});
  return out;
}

json ops_of(const std::vector<ResultRow>& rows) {
  json out = json::array();
  for (const OpSummary& op : summarise_ops(rows))
    out.push_back({{"op", op.op},
                   {"dtype", name(op.dtype)},
                   {"cases", op.cases},
                   {"verdicts", verdicts_of(op.verdicts)},
                   {"compared", op.compared},
                   {"median", number(op.median, 6)},
                   {"p99", number(op.p99, 6)},
                   {"worst", number(op.worst, 6)},
                   {"worst_case", op.worst_case},
                   {"either_way", op.either_way}});
  return out;
}

json audit_of(const std::vector<ResultRow>& rows) {
  json out = json::array();
  for (const AuditEntry& entry : audit(rows))
    out.push_back({{"op", entry.op},
                   {"dtype", name(entry.dtype)},
                   {"wrong_output", entry.wrong_output},
                   {"cases", entry.cases},
                   {"blind", entry.blind},
                   {"mistrusted", entry.mistrusted()},
                   {"first_blind", entry.first_blind ? entry.first_blind->case_line : ""}});
  return out;
}

json picture_of(const ErrorMap& map) {
  std::string levels;
  for (const double cell : map.cells) levels += static_cast<char>('0' + error_level(cell));
  return {{"tensor", map.tensor}, {"shape", map.shape}, {"rows", map.rows}, {"cols", map.cols}, {"levels", levels}};
}

json failure_of(const ResultRow& row, bool pictures) {
  json out{{"case", row.case_line},
           {"op", row.op},
           {"variant", row.variant},
           {"dtype", name(row.dtype)},
           {"device", row.device},
           {"verdict", name(row.verdict)},
           {"detail", printable(row.detail)},
           {"error", number(row.error_over_budget, 6)},
           {"shrunk_from", row.shrunk_from},
           {"replay", replay_command(row)},
           {"worst", json::array()},
           {"maps", json::array()}};
  if (!pictures) return out;
  for (const WorstElement& worst : row.worst)
    out["worst"].push_back({{"at", worst.tensor + worst.index},
                            {"got", number(worst.got, 9)},
                            {"want", number(worst.want, 9)},
                            {"error", number(worst.error_over_budget, 6)}});
  for (const ErrorMap& map : row.maps) out["maps"].push_back(picture_of(map));
  return out;
}

// Failures one after the other, the first of every group in front, so that each kind of failure gets its pictures.
void add_failures(json& page, const std::vector<ResultRow>& rows) {
  std::vector<const ResultRow*> order;
  page["groups"] = json::array();
  page["failures"] = json::array();
  const std::vector<FailureGroup> groups = group_failures(rows);
  for (const FailureGroup& group : groups) {
    page["groups"].push_back({{"cases", group.cases}, {"rows", group.rows.size()}, {"first", order.size()}});
    order.push_back(group.rows.front());
  }
  for (const FailureGroup& group : groups) order.insert(order.end(), group.rows.begin() + 1, group.rows.end());
  for (size_t i = 0; i < order.size(); ++i) page["failures"].push_back(failure_of(*order[i], i < kPicturesMax));
}

// All cases as [case line, index of series, verdict, error/budget, size, detail]; a series is one op, variant and
// dtype.
void add_cases(json& page, const std::vector<ResultRow>& rows) {
  std::map<std::string, size_t> index_of;
  page["series"] = json::array();
  page["cases"] = json::array();
  for (const ResultRow& row : rows) {
    const json series{{"op", row.op}, {"variant", row.variant}, {"dtype", name(row.dtype)}, {"device", row.device}};
    const auto [at, is_new] =
        index_of.emplace(series.dump(-1, ' ', false, json::error_handler_t::replace), index_of.size());
    if (is_new) page["series"].push_back(series);
    page["cases"].push_back({row.case_line, at->second, name(row.verdict), number(row.error_over_budget, 4),
                             case_size(row.case_line), printable(row.detail)});
  }
}

// The figures in the order of report.html's columns; nothing for what there is nothing of.
json figures_of(const Figures& figures) {
  json out = json::array();
  for (const Figure& each : figures) out.push_back(figure(each.value));
  return out;
}

json kernel_of(const AccessStatistics& run, const KernelCounts& kernel) {
  json lines = json::array();
  for (const LineCounts& line : kernel.lines)
    lines.push_back({{"line", printable(line.line)},
                     {"read", bytes_read(line.counts)},
                     {"written", bytes_written(line.counts)},
                     {"figures", figures_of(figures(run, kernel, line))}});
  return {{"kernel", printable(kernel.kernel)},
          {"launches", kernel.launches},
          {"blocks", kernel.blocks},
          {"read", bytes_read(kernel.total)},
          {"written", bytes_written(kernel.total)},
          {"figures", figures_of(figures(run, kernel))},
          {"lines", lines}};
}

json memory_of(const std::vector<ResultRow>& rows) {
  json out = json::array();
  for (const ResultRow* row : largest_counted(rows)) {
    json kernels = json::array();
    for (const KernelCounts& kernel : row->statistics->kernels) kernels.push_back(kernel_of(*row->statistics, kernel));
    out.push_back({{"op", row->op},
                   {"variant", row->variant},
                   {"dtype", name(row->dtype)},
                   {"case", printable(row->case_line)},
                   {"compulsory", row->statistics->compulsory_bytes},
                   {"incomplete", printable(row->statistics->incomplete)},
                   {"kernels", kernels}});
  }
  return out;
}

}  // namespace

double case_size(const std::string& case_line) {
  const Result<Case> c = parse_case(case_line);
  if (!c) return 0;
  const Contract* contract = find_op(c->op);
  const auto counts = [&](const Param& param, int64_t value) {
    const auto named = [&](const DimSpec& dim) { return dim.name == param.name; };
    return contract ? std::any_of(contract->dims.begin(), contract->dims.end(), named) : value > 0;
  };
  double size = 1;
  for (const Param& param : c->params) {
    int64_t value = 0;
    const char* end = param.value.data() + param.value.size();
    const auto parsed = std::from_chars(param.value.data(), end, value);
    if (parsed.ec == std::errc{} && parsed.ptr == end && counts(param, value)) size *= static_cast<double>(value);
  }
  return std::max(size, 0.0);
}

int error_level(double error_over_budget) {
  if (!std::isfinite(error_over_budget)) return static_cast<int>(kLevels.size()) + 1;
  int level = 0;
  for (const double bound : kLevels) level += error_over_budget > bound ? 1 : 0;
  return level;
}

json page_data(const Report& report) {
  const Summary summary = summarise(report);
  json page{{"info", info_of(report.info)},
            {"outcome", name(summary.outcome)},
            {"headline", summary.headline},
            {"case_count", summary.cases},
            {"verdicts", verdicts_of(summary.verdicts)},
            {"levels", kLevels},
            {"pictures_max", kPicturesMax},
            {"ops", ops_of(report.rows)},
            {"audit", audit_of(report.rows)},
            {"memory", memory_of(report.rows)},
            {"performance", performance_of(report)}};
  add_failures(page, report.rows);
  add_cases(page, report.rows);
  return page;
}

}  // namespace assay
