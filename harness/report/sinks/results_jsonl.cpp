// results.jsonl: one JSON object per row, with everything a row holds; what `assay report` reads
// back.
#include "harness/report/report.h"
#include "harness/result/row_json.h"

namespace assay {
namespace {

std::string render(const Report& report) {
  std::string text;
  for (const ResultRow& row : report.rows) text += to_line(row) + "\n";
  return text;
}

const RegisterSink kSink({"results.jsonl", "", "every row with all that is known of it, one JSON object per line",
                          render});

}  // namespace
}  // namespace assay
