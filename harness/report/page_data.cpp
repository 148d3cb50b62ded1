// Gathers what report.html shows.
//
// The page must stay usable with tens of thousands of rows: cases are arrays instead of objects, an error map is one
// digit per cell (its step on the colour scale), and only the first kPicturesMax causes of failures carry pictures.
#include "harness/report/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/report/audit.h"
#include "harness/report/causes.h"
#include "harness/report/coverage_text.h"
#include "harness/report/page_number.h"
#include "harness/report/page_over_time.h"
#include "harness/report/page_timings.h"
#include "harness/report/run_info.h"
#include "harness/report/source_place.h"
#include "harness/report/summary.h"
#include "harness/report/text.h"
#include "harness/result/row_json.h"

namespace assay {
namespace {

using nlohmann::json;

// Upper bounds of the colour scale's steps, as fractions of the budget; the seventh step is finite, the eighth is not.
constexpr std::array kLevels{0.1, 0.5, 1.0, 2.0, 10.0, 100.0};

constexpr size_t kOthersMax = 100;  // cases of one cause that are named; the list of cases has all

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

json names_of(const std::set<DType>& dtypes) {
  json out = json::array();
  for (const DType dtype : dtypes) out.push_back(name(dtype));
  return out;
}

// The cells of a matrix.
json cells_of(const std::vector<OpSummary>& ops) {
  json out = json::array();
  for (const OpSummary& op : ops)
    out.push_back({{"op", op.op},
                   {"variant", op.variant},
                   {"dtype", name(op.dtype)},
                   {"cases", op.cases},
                   {"verdicts", verdicts_of(op.verdicts)},
                   {"compared", op.compared},
                   {"median", number(op.median, 6)},
                   {"p99", number(op.p99, 6)},
                   {"worst", number(op.worst, 6)},
                   {"level", op.worst_row ? json(error_level(op.worst)) : json()},
                   {"worst_case", op.worst_row ? op.worst_row->line() : ""},
                   {"worst_replay", op.worst_row ? replay_command(*op.worst_row) : ""},
                   {"either_way", op.either_way}});
  return out;
}

// The matrices of the first screen.
void add_matrices(json& page, const std::vector<ResultRow>& rows) {
  const std::vector<OpSummary> ops = summarise_ops(rows);
  std::set<DType> dtypes;
  for (const OpSummary& op : ops) dtypes.insert(op.dtype);
  page["dtypes"] = names_of(dtypes);
  page["ops"] = cells_of(ops);
  page["variants"] = cells_of(summarise_variants(rows));
}

json audit_of(const std::vector<ResultRow>& rows) {
  json out = json::array();
  for (const AuditEntry& entry : audit(rows))
    out.push_back({{"op", entry.op},
                   {"dtype", std::string(name(entry.dtype)) + (entry.format.empty() ? "" : " ") + entry.format},
                   {"mutant", entry.mutant},
                   {"cases", entry.cases},
                   {"blind", entry.blind},
                   {"mistrusted", entry.mistrusted()},
                   {"first_blind", entry.first_blind ? entry.first_blind->line() : ""}});
  return out;
}

json picture_of(const ErrorMap& map) {
  std::string levels;
  for (const double cell : map.cells) levels += static_cast<char>('0' + error_level(cell));
  return {{"tensor", map.tensor}, {"shape", map.shape}, {"rows", map.rows}, {"cols", map.cols}, {"levels", levels}};
}

json source_of(const std::vector<SourcePlace>& places) {
  json out = json::array();
  for (const Excerpt& excerpt : excerpts(places))
    out.push_back({{"path", printable(excerpt.path)},
                   {"first", excerpt.first},
                   {"lines", excerpt.lines},
                   {"marked", excerpt.marked}});
  return out;
}

json failure_of(const Cause& cause, bool pictures) {
  const ResultRow& row = *cause.rows.front();
  json out{{"error", number(row.figures["error_over_budget"], 6)},
           {"replay", replay_command(row)},
           {"also", json::array()},
           {"count", cause.cases},
           {"shared", printable(cause.shared)},
           {"others", json::array()},
           {"source", pictures ? source_of(source_places(cause)) : json::array()},
           {"worst", json::array()},
           {"maps", json::array()}};
  for (const Field& field : fields())
    if ((field.shown & kPage) && !find_figure(field.name)) out[field.name] = printable(field.text(row));
  std::set<DType> dtypes;
  for (const ResultRow* each : cause.rows) dtypes.insert(each->c.dtype);
  out["dtypes"] = names_of(dtypes);
  out["verdict"] = name(cause.kind);
  out["detail"] = printable(cause.detail);
  for (const AlsoSeen& also : cause.also)
    out["also"].push_back({{"verdict", name(also.kind)}, {"device", also.device}, {"detail", printable(also.detail)}});
  for (const ResultRow* other : cause.rows)
    if (other->shrunk_from.empty() && other != &row && out["others"].size() < kOthersMax)
      out["others"].push_back(printable(fmt::format("{}  on {}", other->line(), other->device)));
  if (!pictures) return out;
  for (const WorstElement& worst : row.worst)
    out["worst"].push_back({{"at", worst.tensor + worst.index},
                            {"got", number(worst.got, 9)},
                            {"want", number(worst.want, 9)},
                            {"error", number(worst.error_over_budget, 6)}});
  for (const ErrorMap& map : row.maps) out["maps"].push_back(picture_of(map));
  return out;
}

void add_failures(json& page, const std::vector<ResultRow>& rows) {
  page["failures"] = json::array();
  for (const Cause& cause : causes(rows))
    page["failures"].push_back(failure_of(cause, page["failures"].size() < kPicturesMax));
}

// All cases as [case line, index of series, verdict, error/budget, size, detail, the figures of `columns`…]; a series
// is one op, variant and dtype.
void add_cases(json& page, const std::vector<ResultRow>& rows) {
  std::map<std::string, size_t> index_of;
  page["series"] = json::array();
  page["cases"] = json::array();
  page["columns"] = json::array();
  for (const FigureSpec& spec : kFigures)
    if (spec.shown & kPage)
      page["columns"].push_back({{"title", spec.title}, {"unit", spec.unit}, {"better", name(spec.better)}});
  for (const ResultRow& row : rows) {
    const json series{
        {"op", row.c.op}, {"variant", row.c.variant}, {"dtype", name(row.c.dtype)}, {"device", row.device}};
    const auto [at, is_new] =
        index_of.emplace(series.dump(-1, ' ', false, json::error_handler_t::replace), index_of.size());
    if (is_new) page["series"].push_back(series);
    json entry{row.line(),
               at->second,
               name(row.verdict),
               number(row.figures["error_over_budget"], 4),
               row.figures.or_zero("size"),
               printable(row.detail)};
    for (size_t i = 0; i < kFigures.size(); ++i)
      if (kFigures[i].shown & kPage) entry.push_back(number(row.figures.at(i), 4));
    page["cases"].push_back(std::move(entry));
  }
}

// The titles of the figures of memory accesses.
json memory_columns() {
  json out = json::array();
  for (const Figure& each : figures(AccessStatistics{})) out.push_back(kFigures[figure_index(each.name)].title);
  return out;
}

// The figures in the order of their columns; nothing for what there is nothing of.
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
    out.push_back({{"op", row->c.op},
                   {"variant", row->c.variant},
                   {"dtype", name(row->c.dtype)},
                   {"case", printable(row->line())},
                   {"compulsory", row->statistics->compulsory_bytes},
                   {"incomplete", printable(row->statistics->incomplete)},
                   {"kernels", kernels}});
  }
  return out;
}

// Null where it was not asked for.
json coverage_of(const std::optional<Coverage>& coverage) {
  if (!coverage) return {};
  json out = *coverage;
  std::vector<SourcePlace> places;
  out["uncovered"] = json::array();
  for (const UncoveredLine& line : coverage->uncovered) {
    places.push_back({line.file, static_cast<int>(line.line)});
    out["uncovered"].push_back({{"where", printable(place_of(line))},
                                {"words", words_of(line)},
                                {"text", printable(line.text)},
                                {"aimed", printable(aimed_words_of(line))}});
  }
  out["aimed_line"] = aimed_line(*coverage);
  out["source"] = source_of(places);
  return out;
}

}  // namespace

int error_level(double error_over_budget) {
  if (!std::isfinite(error_over_budget)) return static_cast<int>(kLevels.size()) + 1;
  int level = 0;
  for (const double bound : kLevels) level += error_over_budget > bound ? 1 : 0;
  return level;
}

json page_data(const Report& report) {
  const Summary summary = summarise(report);
  json page{{"schema", kSchema},
            {"info", info_of(report.info)},
            {"outcome", name(summary.outcome)},
            {"headline", summary.headline},
            {"case_count", summary.cases},
            {"verdicts", verdicts_of(summary.verdicts)},
            {"levels", kLevels},
            {"pictures_max", kPicturesMax},
            {"audit", audit_of(report.rows)},
            {"memory_columns", memory_columns()},
            {"memory", memory_of(report.rows)},
            {"performance", performance_of(report)},
            {"coverage", coverage_of(report.info.coverage)},
            {"over_time", over_time_of(report.over_time)}};
  add_matrices(page, report.rows);
  add_failures(page, report.rows);
  add_cases(page, report.rows);
  return page;
}

}  // namespace assay
