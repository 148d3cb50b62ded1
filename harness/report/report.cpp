// The registry of sinks, and a report's way to a directory and back.
#include "harness/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/base/check.h"
#include "harness/base/write_file.h"
#include "harness/report/run_info.h"
#include "harness/result/row_json.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::vector<Sink>& mutable_sinks() {
  static std::vector<Sink> all;
  return all;
}

Result<std::string> read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || fs::is_directory(path) || !(text << file.rdbuf()).good() || file.bad())
    return fail("cannot read '" + path.string() + "'", "name a directory that 'assay check --out' wrote");
  return std::move(text).str();
}

// The error of a part of a file; one without a hint is of a damaged part.
tl::unexpected<Error> in_file(const std::string& where, const Error& error, const std::string& remedy) {
  return fail(where + ": " + error.what, error.hint.empty() ? remedy + ", or run the suite again" : error.hint);
}

Result<std::vector<ResultRow>> read_rows(const fs::path& path) {
  if (std::error_code ignored; fs::exists(path, ignored) && fs::file_size(path, ignored) == 0) return {};
  const Result<std::string> text = read_text(path);
  if (!text) return tl::unexpected(text.error());
  std::vector<ResultRow> rows;
  int64_t number = 0;
  for (size_t begin = 0; begin < text->size();) {
    const size_t newline = text->find('\n', begin);
    const bool torn = newline == std::string::npos;
    const std::string_view line = std::string_view(*text).substr(begin, torn ? newline : newline - begin);
    begin += line.size() + 1;
    ++number;
    if (torn && !nlohmann::json::accept(line)) break;  // a killed process wrote it; a line that ends is whole
    Result<ResultRow> row = row_from_line(line);
    if (!row) return in_file(fmt::format("'{}', line {}", path.string(), number), row.error(), "remove the line");
    rows.push_back(*std::move(row));
  }
  return rows;
}

// Rows without run.json are of a run whose end is unknown.
Result<RunInfo> read_info(const fs::path& path) {
  RunInfo info;
  info.status = kRunning;
  if (std::error_code ignored; !fs::exists(path, ignored)) return info;
  const Result<std::string> text = read_text(path);
  if (!text) return tl::unexpected(text.error());
  Result<RunInfo> read = run_info_from_text(*text);
  if (!read) return in_file(fmt::format("'{}'", path.string()), read.error(), "remove it");
  return read;
}

}  // namespace

RegisterSink::RegisterSink(Sink sink) {
  auto& all = mutable_sinks();
  const auto at = std::lower_bound(all.begin(), all.end(), sink.file_name,
                                   [](const Sink& a, const std::string& name) { return a.file_name < name; });
  ASSAY_CHECK(at == all.end() || at->file_name != sink.file_name, "two sinks write '" + sink.file_name + "'");
  all.insert(at, std::move(sink));
}

const std::vector<Sink>& sinks() { return mutable_sinks(); }

Result<void> write_report(const Report& report, const std::string& directory) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) return tl::unexpected(write_error(directory, error.value()));
  for (const Sink& sink : sinks()) {
    if (sink.file_name == kRunFile) continue;
    if (auto written = write_file(fs::path(directory) / sink.file_name, sink.render(report)); !written) {
      [[maybe_unused]] const auto removed = remove_pages(directory);
      return written;
    }
  }
  return write_file(fs::path(directory) / kRunFile, run_json(report));
}

Result<void> remove_pages(const std::string& directory) {
  std::error_code error;
  for (const Sink& sink : sinks()) {
    if (sink.file_name == kRunFile || sink.file_name == kRowsFile) continue;
    fs::remove(fs::path(directory) / sink.file_name, error);
    if (error) return tl::unexpected(write_error(directory + "/" + sink.file_name, error.value()));
  }
  return {};
}

Result<void> write_run_info(const RunInfo& info, const std::string& directory) {
  return write_file(fs::path(directory) / kRunFile, run_info_text(info));
}

Result<Report> read_report(const std::string& directory) {
  std::error_code none;
  const bool is_file = fs::is_regular_file(directory, none);
  const fs::path folder = is_file ? fs::path(directory).parent_path() : fs::path(directory);
  Result<std::vector<ResultRow>> rows = read_rows(is_file ? fs::path(directory) : folder / kRowsFile);
  if (!rows) return tl::unexpected(rows.error());
  Result<RunInfo> info = read_info(folder / kRunFile);
  if (!info) return tl::unexpected(info.error());
  return Report{std::move(*info), std::move(*rows)};
}

}  // namespace assay
