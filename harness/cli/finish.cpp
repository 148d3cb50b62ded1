// Writing the report, and the exit code.
#include "harness/cli/finish.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "harness/base/check.h"
#include "harness/base/printable.h"
#include "harness/cli/cli.h"
#include "harness/report/summary.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// Writes the report where it was asked for; when that fails, into a fresh temporary folder, so that nothing computed is
// lost. Returns the folder that was written.
Result<std::string> write_somewhere(const Report& report, const std::string& out) {
  const auto written = write_report(report, out);
  if (written) return out;
  usage_error(written.error());
  std::error_code none;
  std::string rescue = (fs::temp_directory_path(none) / "assay-results-XXXXXX").string();
  if (none || !mkdtemp(rescue.data())) return tl::unexpected(written.error());
  if (const auto rescued = write_report(report, rescue); !rescued) return tl::unexpected(rescued.error());
  return rescue;
}

}  // namespace

Result<RunFolder> open_run_folder(const std::string& out, const RunInfo& info) {
  auto folder = RunFolder::open(out, info);
  if (folder && folder->path() != out)
    std::fprintf(stderr, "assay: another run is writing to %s; this one goes to %s\n", printable(out).c_str(),
                 printable(folder->path()).c_str());
  return folder;
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

int finish_run(const Report& report, const std::string& out, bool rows_lost) {
  const auto folder = write_somewhere(report, out);
  if (!folder) return usage_error(folder.error());
  say("report: {}/report.html\n", *folder);
  const int code = exit_code(report);
  return *folder != out || rows_lost ? std::max<int>(code, kExitUsage) : code;
}

}  // namespace assay
