// `assay report`: results of earlier runs, together, in the formats asked for.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "harness/cli/cli.h"
#include "harness/report/github.h"
#include "harness/report/report.h"
#include "harness/report/write_file.h"

namespace assay {
namespace {

bool wanted(const ReportArguments& arguments, const Sink& sink) {
  return arguments.formats.empty() || arguments.formats.contains(sink.option);
}

}  // namespace

int run_report(const ReportArguments& arguments) {
  Report all;
  for (const std::string& directory : arguments.runs) {
    auto report = read_report(directory);
    if (!report) return usage_error(report.error());
    if (all.info.command.empty()) all.info = report->info;
    all.rows.insert(all.rows.end(), report->rows.begin(), report->rows.end());
  }
  const std::string out = arguments.out.empty() ? arguments.runs.front() : arguments.out;
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (error) return usage_error(write_error(out, error.value()));
  for (const Sink& sink : sinks()) {
    if (!wanted(arguments, sink)) continue;
    const auto written = write_file(out + "/" + sink.file_name, sink.render(all));
    if (!written) return usage_error(written.error());
    fmt::print("{}/{}\n", out, sink.file_name);
  }
  if (arguments.github) std::fputs(github_annotations(all).c_str(), stdout);
  return kExitPass;
}

}  // namespace assay
