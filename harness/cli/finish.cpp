// Writing the report, and the exit code.
#include "harness/cli/finish.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "harness/base/check.h"
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
  std::string rescue = (fs::temp_directory_path() / "assay-results-XXXXXX").string();
  if (!mkdtemp(rescue.data())) return tl::unexpected(written.error());
  if (const auto rescued = write_report(report, rescue); !rescued) return tl::unexpected(rescued.error());
  return rescue;
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

}  // namespace

int finish_run(const Report& report, const std::string& out, bool rows_lost) {
  const auto folder = write_somewhere(report, out);
  if (!folder) return usage_error(folder.error());
  fmt::print("report: {}/report.html\n", *folder);
  const int code = exit_code(report);
  return *folder != out || rows_lost ? std::max<int>(code, kExitUsage) : code;
}

}  // namespace assay
