// Writing the report, and the exit code.
#include "harness/cli/finish.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "harness/base/check.h"
#include "harness/base/printable.h"
#include "harness/cli/cli.h"
#include "harness/cli/environment.h"
#include "harness/report/summary.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// A fresh temporary folder with the report, so that nothing computed is lost; "" where that cannot be written either.
std::string written_elsewhere(const Report& report) {
  std::error_code none;
  std::string rescue = (fs::temp_directory_path(none) / "assay-results-XXXXXX").string();
  if (none || !mkdtemp(rescue.data())) return "";
  const auto written = write_report(report, rescue);
  if (!written) usage_error(written.error());
  return written ? rescue : "";
}

}  // namespace

Result<RunFolder> open_run_folder(const std::string& out, const std::vector<std::string>& command) {
  auto folder = RunFolder::open(out, describe_command(command));
  if (folder && folder->path() != out)
    std::fprintf(stderr, "assay: another run is writing to %s; this one goes to %s\n", printable(out).c_str(),
                 printable(folder->path()).c_str());
  return folder;
}

Result<RunFolder> resume_run(const std::string& directory, RunInfo& info, std::map<int64_t, ResultRow>& earlier) {
  auto before = ASSAY_TRY(read_report(directory));
  const auto other = [&](const char* what) {
    return fail(fmt::format("the run in {} {}", directory, what), "start anew, with --out in place of --resume");
  };
  const bool planned = !before.info.plan.empty();  // a process may be killed before it has
  if (!planned && !before.rows.empty()) return other("does not say which cases it planned");
  if (planned && before.info.plan != info.plan)
    return other("planned other cases: its suite, selection, options or saved failures are not these");
  if (planned && before.info.shard != info.shard) return other("is another shard");
  if (planned && before.info.program != info.program) return other("is of another build of assay or of its kernels");
  if (planned) info.started = before.info.started;
  for (ResultRow& row : before.rows)
    if (row.place >= 0) earlier.insert_or_assign(row.place, std::move(row));
  std::vector<ResultRow> kept;
  kept.reserve(earlier.size());
  for (const auto& [place, row] : earlier) kept.push_back(row);
  return RunFolder::resume(directory, info, kept);
}

int exit_code(const Report& report) {
  switch (summarise(report).outcome) {
    case Outcome::passed:
      return kExitPass;
    case Outcome::failed:
      return kExitFail;
    case Outcome::inconclusive:
      return kExitInconclusive;
  }
  ASSAY_CHECK(false, "unknown outcome");
}

int finish_run(Report report, const std::string& out, const std::function<std::string(const Report&)>& shown) {
  std::string folder = out;
  if (const auto written = write_report(report, out); !written) {
    usage_error(written.error());
    report.info.status = kNotWritten + out;
    folder = written_elsewhere(report);
  }
  std::fputs(shown(report).c_str(), stdout);
  if (!folder.empty()) say("report: {}/report.html\n", folder);
  return exit_code(report);
}

}  // namespace assay
