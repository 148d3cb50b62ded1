// Writing and reading baselines.
#include "harness/compare/baseline.h"

#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>

#include "harness/report/run_info.h"
#include "harness/result/row_json.h"

namespace assay::comparison {
namespace {

using nlohmann::json;

ResultRow without_findings(ResultRow row) {
  row.findings.clear();
  row.hints.clear();
  row.worst.clear();
  row.maps.clear();
  row.sensitivity.clear();
  if (row.statistics)
    for (KernelCounts& kernel : row.statistics->kernels) kernel.lines.clear();  // its totals stay
  return row;
}

}  // namespace

std::string baseline_text(const Report& report) {
  std::string text = fmt::format("{{\"schema\": {}, \"run\": {},\n\"rows\": [", kSchema, to_json(report.info).dump());
  const char* separator = "\n";
  for (const ResultRow& row : report.rows) {
    text += separator + to_line(without_findings(row));
    separator = ",\n";
  }
  return text + "\n]}\n";
}

Result<Report> report_of_baseline(const std::string& text) {
  try {
    const json in = json::parse(text);
    ASSAY_TRY(check_schema(in));
    auto info = run_info_from_text(in.at("run").dump());
    if (!info) return fail("run: " + info.error().what, info.error().hint);
    Report report{*std::move(info), {}};
    for (const json& one : in.at("rows")) {
      auto row = row_from_json(one);
      if (!row) return fail(fmt::format("row {}: {}", report.rows.size() + 1, row.error().what), row.error().hint);
      report.rows.push_back(*std::move(row));
    }
    return report;
  } catch (const json::exception& error) {
    return fail(error.what());
  }
}

std::string baseline_path(const RunInfo& info) {
  const std::string of = info.gpu ? info.gpu->name : info.device.empty() ? "cpu" : info.device;
  std::string file;
  for (const char c : of) {
    const bool kept = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (kept || (!file.empty() && file.back() != '_'))
      file += kept ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : '_';
  }
  return "reports/baseline/" + file + ".json";
}

}  // namespace assay::comparison
