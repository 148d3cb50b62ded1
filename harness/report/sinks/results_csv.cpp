// results.csv: one line per row, the same bytes for the same results on every machine, so that two runs can be diffed.
//
// Quoting is RFC 4180 with bare newlines between records. How long judging took is in results.jsonl; the only times
// here are those that `assay bench` measured on a GPU.
#include <fmt/format.h>

#include "harness/report/summary.h"
#include "harness/report/text.h"
#include "harness/result/row_json.h"

namespace assay {
namespace {

std::string csv_text(std::string_view text) {
  const std::string clean = printable(text);
  if (clean.find_first_of(",\"\n\t ") == std::string::npos) return clean;
  std::string out = "\"";
  for (const char c : clean) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

// The last record of a run that is not complete: a verdict and a detail, and no case.
std::string incomplete_record(const Report& report) {
  const std::string why = incomplete_text(report);
  if (why.empty()) return "";
  std::string text = fmt::to_string(kSchema);
  for (const Field& field : fields())
    if (field.shown & kCsv)
      text += "," + (field.name == "verdict" ? "INCOMPLETE" : field.name == "detail" ? csv_text(why) : "");
  return text + "\n";
}

std::string render(const Report& report) {
  std::string text = "schema";
  for (const Field& field : fields())
    if (field.shown & kCsv) text += fmt::format(",{}", field.name);
  text += "\n";
  for (const ResultRow& row : report.rows) {
    text += fmt::to_string(kSchema);
    for (const Field& field : fields())
      if (field.shown & kCsv) text += "," + csv_text(field.text(row));
    text += "\n";
  }
  return text + incomplete_record(report);
}

const RegisterSink kSink({"results.csv", "csv", "one line per row, deterministic: for spreadsheets and diff", render});

}  // namespace
}  // namespace assay
