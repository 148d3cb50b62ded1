// results.csv: one line per row, the same bytes for the same results on every machine, so that two runs can be diffed.
//
// Quoting is RFC 4180 with bare newlines between records. No time and no clock: those are in results.jsonl.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "harness/report/report.h"
#include "harness/report/text.h"

namespace assay {
namespace {

std::string field(std::string_view text) {
  const std::string clean = printable(text);
  if (clean.find_first_of(",\"\n\t ") == std::string::npos) return clean;
  std::string quoted = "\"";
  for (const char c : clean) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

// The figures of memory accesses (device/access_statistics.h), each after a comma: empty when nobody asked, and where
// there was nothing of the sort to count.
std::string statistics_fields(const ResultRow& row) {
  std::string text;
  for (const Figure& figure : figures(row.statistics.value_or(AccessStatistics{})))
    text += "," + (std::isnan(figure.value) ? "" : number_text(figure.value));
  return text;
}

std::string render(const Report& report) {
  std::string text = "case,op,variant,dtype,device,verdict,detail,error_over_budget,shrunk_from";
  for (const Figure& figure : figures(AccessStatistics{})) text += "," + std::string(figure.name);
  text += "\n";
  for (const ResultRow& row : report.rows) {
    const std::string fields[] = {field(row.case_line),  field(row.op),
                                  field(row.variant),    std::string(name(row.dtype)),
                                  field(row.device),     std::string(name(row.verdict)),
                                  field(row.detail),     number_text(row.error_over_budget),
                                  field(row.shrunk_from)};
    text += fmt::format("{}{}\n", fmt::join(fields, ","), statistics_fields(row));
  }
  return text;
}

const RegisterSink kSink({"results.csv", "one line per row, deterministic: for spreadsheets and diff", render});

}  // namespace
}  // namespace assay
