// `assay report`: results of earlier runs, together, in the formats asked for.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "harness/base/printable.h"
#include "harness/base/write_file.h"
#include "harness/cli/cli.h"
#include "harness/cli/finish.h"
#include "harness/cli/options.h"
#include "harness/cli/report_run.h"
#include "harness/report/github.h"
#include "harness/report/report.h"
#include "harness/report/run_info.h"
#include "harness/report/summary.h"
#include "harness/result/row_json.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

fs::path place_of(const std::string& directory) {
  std::error_code none;
  return fs::weakly_canonical(directory, none);
}

// A copy of a run's folder is that run too.
bool same_run(const Report& a, const Report& b) {
  return !a.info.started.empty() && run_info_text(a.info) == run_info_text(b.info) &&
         std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(),
                    [](const ResultRow& x, const ResultRow& y) { return to_line(x) == to_line(y); });
}

// The runs, each once.
Result<std::vector<Report>> read_runs(const std::vector<std::string>& directories) {
  std::vector<Report> runs;
  std::vector<fs::path> places;
  for (const std::string& directory : directories) {
    auto report = ASSAY_TRY(read_report(directory));
    const auto again = [&](const Report& run) { return same_run(run, report); };
    const bool is_there = std::ranges::find(places, place_of(directory)) != places.end();
    if (is_there || std::ranges::any_of(runs, again)) {
      std::fprintf(stderr, "assay: %s is a run that was given before: it counts once\n", printable(directory).c_str());
      continue;
    }
    places.push_back(place_of(directory));
    runs.push_back(std::move(report));
  }
  return runs;
}

// Described as the first is, and complete if all are.
Report together(std::vector<Report> runs) {
  Report all = std::move(runs.front());
  for (size_t i = 1; i < runs.size(); ++i) {
    all.rows.insert(all.rows.end(), runs[i].rows.begin(), runs[i].rows.end());
    all.info.cases_planned += runs[i].info.cases_planned;
    if (is_complete(all.info)) all.info.status = runs[i].info.status;
  }
  return all;
}

}  // namespace

Result<Report> write_reports(const ReportArguments& arguments) {
  Report all = together(ASSAY_TRY(read_runs(arguments.runs)));
  ASSAY_TRY(add_over_time(all, arguments));
  const std::string out = arguments.out.empty() ? arguments.runs.front() : arguments.out;
  std::error_code error;
  fs::create_directories(out, error);
  if (error) return tl::unexpected(write_error(out, error.value()));
  // A run's own rows and description stay as it left them: it may still go on, and other runs' rows are not its own.
  const bool into_a_run =
      std::ranges::any_of(arguments.runs, [&](const std::string& run) { return place_of(run) == place_of(out); });
  for (const Sink& sink : sinks()) {
    const bool wanted = arguments.formats.empty() || arguments.formats.contains(sink.option);
    if (!wanted || (into_a_run && sink.option.empty())) continue;
    ASSAY_TRY(write_file(out + "/" + sink.file_name, sink.render(all)));
    say("{}/{}\n", out, sink.file_name);
  }
  return all;
}

namespace {

Result<int> run_report(const ReportArguments& arguments) {
  const Report all = ASSAY_TRY(write_reports(arguments));
  if (arguments.github) std::fputs(github_annotations(all).c_str(), stdout);
  const Summary summary = summarise(all);
  say("{}: {}\n", name(summary.outcome), summary.headline);
  return exit_code(all);
}

}  // namespace

Command report_command() {
  return command_of<ReportArguments>(
      "report",
      [](CLI::App& command, ReportArguments& arguments) {
        command.add_option("run", arguments.runs)->required();
        command.add_option("--out", arguments.out);
        command.add_option("--history", arguments.history);
        command.add_option("--saved", arguments.saved)->allow_extra_args(false);
        command.add_option_function<std::string>("--base", [&arguments](const std::string& base) {
          arguments.compared = {{base, ""}};
        });
        for (const Sink& sink : sinks())
          if (!sink.option.empty())
            command.add_flag_callback("--" + sink.option,
                                      [&arguments, &sink] { arguments.formats.insert(sink.option); });
        add_format(command, arguments.github);
      },
      [](const ReportArguments& arguments, const std::vector<std::string>&) { return run_report(arguments); });
}

}  // namespace assay
