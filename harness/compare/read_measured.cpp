// Finding out what a path holds, and reading it.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/compare/baseline.h"
#include "harness/compare/measured.h"

namespace assay::comparison {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHint =
    "name a folder or results.jsonl that `assay check` or `assay bench` wrote, a baseline, or JSON of Google Benchmark";

Result<std::string> read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf()).good() || file.bad()) return fail("cannot read '" + path + "'", kHint);
  return std::move(text).str();
}

tl::unexpected<Error> in_file(const std::string& path, const Error& error) {
  return fail("'" + path + "': " + error.what, error.hint.empty() ? "make it again" : error.hint);
}

Result<Measured> of_report(const std::string& path, const Report& report) {
  Measured measured;
  measured.info = report.info;
  size_t number = 0;
  for (const ResultRow& row : report.rows) {
    ++number;
    if (auto added = add_row(measured, row); !added)
      return in_file(path, {fmt::format("row {}: {}", number, added.error().what), added.error().hint});
  }
  return measured;
}

// JSON as a whole: a baseline has rows, Google Benchmark's has benchmarks.
Result<Measured> of_json(const std::string& path) {
  const auto text = ASSAY_TRY(read_text(path));
  const auto in = nlohmann::json::parse(text, nullptr, false);
  if (in.is_discarded()) return in_file(path, {"it is no JSON", kHint});
  if (in.is_object() && in.contains("benchmarks")) {
    auto measured = google_benchmark_from(text);
    if (!measured) return in_file(path, measured.error());
    return measured;
  }
  if (!in.is_object() || !in.contains("rows")) return in_file(path, {"it has neither benchmarks nor rows", kHint});
  const auto report = report_of_baseline(text);
  if (!report) return in_file(path, report.error());
  return of_report(path, *report);
}

}  // namespace

Result<Measured> read_measured(const std::string& path) {
  std::error_code none;
  if (!fs::exists(path, none)) return fail("there is no '" + path + "'", kHint);
  Result<Measured> measured = [&]() -> Result<Measured> {
    if (!fs::is_directory(path, none) && !path.ends_with(".jsonl")) return of_json(path);
    const auto report = ASSAY_TRY(read_report(path));
    return of_report(path, report);
  }();
  if (!measured) return measured;
  measured->path = path;
  if (measured->subjects.empty()) return fail("'" + path + "' has no results", "run the suite again, to its end");
  return measured;
}

}  // namespace assay::comparison
