// results.csv: one line per row, the same bytes for the same results on every machine, so that two runs can be diffed.
//
// Quoting is RFC 4180 with bare newlines between records. How long judging took is in results.jsonl; the only times
// here are those that `assay bench` measured on a GPU.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
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

std::string figure_text(double value) { return std::isnan(value) ? "" : number_text(value); }

// The figures of memory accesses (checked/access_statistics.h), each after a comma: empty when nobody asked, and where
// there was nothing of the sort to count.
std::string statistics_fields(const ResultRow& row) {
  std::string text;
  for (const Figure& figure : figures(row.statistics.value_or(AccessStatistics{})))
    text += "," + figure_text(figure.value);
  return text;
}

constexpr std::array kTimingColumns{"median_us",    "low_us",  "high_us",  "gb_per_s", "tflop_per_s",
                                    "of_roof",      "roof",    "vendor",   "speedup",  "speedup_low",
                                    "speedup_high", "samples", "discarded"};

// A field for each of kTimingColumns, each after a comma: empty without a timing, and for figures that it lacks.
std::string timing_fields(const ResultRow& row) {
  if (!row.timing) return std::string(kTimingColumns.size(), ',');
  const Timing& timing = *row.timing;
  const auto discarded = std::count_if(timing.samples.begin(), timing.samples.end(),
                                       [](const TimingSample& sample) { return sample.discarded; });
  const std::array<std::string, kTimingColumns.size()> fields{
      figure_text(timing.median_us),
      figure_text(timing.low_us),
      figure_text(timing.high_us),
      figure_text(timing.gb_per_s),
      figure_text(timing.tflop_per_s),
      figure_text(timing.of_roof),
      field(timing.roof),
      field(timing.vendor),
      figure_text(timing.speedup),
      figure_text(timing.speedup_low),
      figure_text(timing.speedup_high),
      fmt::to_string(static_cast<int64_t>(timing.samples.size()) - discarded),
      fmt::to_string(discarded)};
  return fmt::format(",{}", fmt::join(fields, ","));
}

std::string render(const Report& report) {
  std::string text = "case,op,variant,dtype,device,verdict,detail,error_over_budget,shrunk_from";
  for (const Figure& figure : figures(AccessStatistics{})) text += "," + std::string(figure.name);
  text += fmt::format(",{}", fmt::join(kTimingColumns, ","));
  text += "\n";
  for (const ResultRow& row : report.rows) {
    const std::string fields[] = {field(row.case_line),  field(row.op),
                                  field(row.variant),    std::string(name(row.dtype)),
                                  field(row.device),     std::string(name(row.verdict)),
                                  field(row.detail),     number_text(row.error_over_budget),
                                  field(row.shrunk_from)};
    text += fmt::format("{}{}{}\n", fmt::join(fields, ","), statistics_fields(row), timing_fields(row));
  }
  return text;
}

const RegisterSink kSink({"results.csv", "one line per row, deterministic: for spreadsheets and diff", render});

}  // namespace
}  // namespace assay
